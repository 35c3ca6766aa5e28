"""The source's case study: a cell-edge user whose link adapts its rate to log-normal shadowing."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario.capacity.autoregression import (
    correlation_per_step,
    standard_deviation_ratio,
)
from tcpgoodput.scenario.undefined import Undefined
from tcpgoodput.scenario.vocabulary import Shadowing

PATH_LOSS_EXPONENT = 4
COHERENCE_DISTANCE_M = 50.0
"""d: on this way the shadowing's correlation falls to 0.1."""

_STANDARD_NORMAL = np.linspace(-9, 9, 20_001)
_DENSITY = np.exp(-(_STANDARD_NORMAL**2) / 2)
_DENSITY /= _DENSITY.sum()


def worst_case_snr(exponent: float = PATH_LOSS_EXPONENT) -> float:
    """Return SNR_0, signal over first-tier interference without shadowing or noise.

    The source gives no number, only "worst case interference" of the first tier. We place the
    user at a vertex of the serving hexagon, where the six neighbouring sites are R, R, 2R, 2R,
    √7R and √7R away; the cell's radius R cancels.
    """
    neighbours = math.sqrt(3) * np.exp(1j * np.pi / 3 * np.arange(6))
    vertex = np.exp(1j * np.pi / 6)
    return float(1 / np.sum(np.abs(neighbours - vertex) ** -exponent))


@dataclass(frozen=True)
class Cell:
    """The rate of a link, C = min(C_0, C_a log2(1 + SNR_0 10^(-S/10))), against shadowing S."""

    peak_bps: float
    """C_0."""
    scale_bps: float
    """C_a."""
    snr: float
    """SNR_0, as a ratio."""

    def capacity_bps(self, shadowing_db: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the capacity at each value of the shadowing, in bit/s."""
        return self._limited(_log_of_snr(self.snr, shadowing_db))

    def _limited(self, log_of_snr: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.minimum(self.peak_bps, self.scale_bps / math.log(2) * log_of_snr)

    def mean_bps(self, sigma_db: float) -> float:
        """Return the mean capacity under S ~ N(0, sigma), in bit/s."""
        return float(_DENSITY @ self.capacity_bps(sigma_db * _STANDARD_NORMAL))


def _log_of_snr(snr: float, shadowing_db: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln(1 + SNR) under shadowing."""
    return np.log1p(snr * np.exp(shadowing_db * (-math.log(10) / 10)))


def cell_of(capacity: Shadowing) -> Cell:
    """Return the cell whose C_a gives the scenario's mean capacity.

    Raises:
        Undefined: no C_a does, because half of the law lies where the rate vanishes.

    """
    return _solved(capacity.peak_bps, capacity.mean_bps, stationary_sigma_db(capacity))


@functools.lru_cache(maxsize=64)
def _solved(peak_bps: float, mean_bps: float, sigma_db: float) -> Cell:
    snr = worst_case_snr()
    log_of_snr = _log_of_snr(snr, sigma_db * _STANDARD_NORMAL)  # once, not in each halving
    low, high = math.log(mean_bps) - 50, math.log(mean_bps) + 300
    for _ in range(70):
        middle = (low + high) / 2
        cell = Cell(peak_bps, math.exp(middle), snr)
        if _DENSITY @ cell._limited(log_of_snr) < mean_bps:
            low = middle
        else:
            high = middle
    if not math.isclose(cell.mean_bps(sigma_db), mean_bps, rel_tol=1e-6):
        raise Undefined("no C_a gives this mean capacity with this peak and shadowing")
    return cell


def coherence_s(capacity: Shadowing) -> float:
    """Return the time that the user takes for the coherence distance."""
    return COHERENCE_DISTANCE_M / capacity.speed_mps


def stationary_sigma_db(capacity: Shadowing) -> float:
    """Return the standard deviation of S: the literal recursion's vanishes with its step."""
    alpha = correlation_per_step(capacity.step_s, coherence_s(capacity))
    return capacity.sigma_db * standard_deviation_ratio(alpha, capacity.variance)
