"""Random capacities: an autoregressive process, and a radio link at the edge of a cell."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario.types import Undefined
from tcpgoodput.scenario.vocabulary import Shadowing

CORRELATION_AT_COHERENCE = 0.1
"""Autocorrelation of a random capacity at a lag of its coherence time. The study variable_capacity
calls this value "conveniently low"."""


def correlation_per_step(step_s: float, coherence_s: float) -> float:
    """Return the correlation α of values one time step apart.

    For steps of length δ and the coherence time T_c, α^(T_c/δ) = 0.1.
    """
    return CORRELATION_AT_COHERENCE ** (step_s / coherence_s)


def innovation_gain(alpha: float, variance: Literal["preserved", "literal"]) -> float:
    """Return the factor of the innovation in a first-order autoregression.

    α is the correlation of values one step apart. The factor is 1 - α as printed in the study
    ("literal"), or √(1 - α²), with which the variance does not depend on α ("preserved").
    """
    return 1 - alpha if variance == "literal" else math.sqrt((1 - alpha) * (1 + alpha))


def innovations_deviation(least: float, most: float) -> float:
    """Return the standard deviation of an innovation that is uniform from `least` to `most`."""
    return (most - least) / math.sqrt(12)


def standard_deviation_ratio(alpha: float, variance: Literal["preserved", "literal"]) -> float:
    """Return the standard deviation of a first-order autoregression over that of its innovations.

    α is the correlation of values one step apart. The ratio is √((1-α)/(1+α)) for the recursion as
    printed in the study ("literal"), and 1 if the variance is preserved.
    """
    return math.sqrt((1 - alpha) / (1 + alpha)) if variance == "literal" else 1.0


_STANDARD_NORMAL = np.linspace(-9, 9, 20_001)
_DENSITY = np.exp(-(_STANDARD_NORMAL**2) / 2)
_DENSITY /= _DENSITY.sum()


def worst_case_snr(exponent: float) -> float:
    """Return SNR_0, the ratio of signal to first-tier interference without shadowing; not in dB.

    The study variable_capacity gives no number, only "worst case interference" of the first tier.
    We place the user at a vertex of the serving hexagon. There, the six neighbouring sites are at
    distances R, R, 2R, 2R, √7R and √7R, and signals fall with the distance to the power `exponent`.
    The cell's radius R cancels.
    """
    neighbours = math.sqrt(3) * np.exp(1j * np.pi / 3 * np.arange(6))
    vertex = np.exp(1j * np.pi / 6)
    return _same_everywhere(1 / np.sum(np.abs(neighbours - vertex) ** -exponent))


@dataclass(frozen=True)
class Cell:
    """The rate C = min(C_0, C_a log2(1 + SNR_0 10^(-S/10))) of a link with shadowing S in dB."""

    peak_bps: float
    """Largest rate C_0 in bit/s."""
    scale_bps: float
    """Factor C_a of the logarithm in the formula of the rate, in bit/s."""
    snr: float
    """SNR_0, the ratio of signal to interference without shadowing or noise; not in dB."""

    def capacity_bps(self, shadowing_db: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the capacity at each value of the shadowing, in bit/s."""
        return self._limited(_log_of_snr(self.snr, shadowing_db))

    def _limited(self, log_of_snr: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.minimum(self.peak_bps, self.scale_bps / math.log(2) * log_of_snr)

    def mean_bps(self, sigma_db: float) -> float:
        """Return the mean capacity in bit/s if the shadowing S is normal with mean 0."""
        return float(_DENSITY @ self.capacity_bps(sigma_db * _STANDARD_NORMAL))


def _log_of_snr(snr: float, shadowing_db: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln(1 + SNR) at each value of the shadowing in dB."""
    return np.log1p(snr * np.exp(shadowing_db * (-math.log(10) / 10)))


def cell_of(capacity: Shadowing) -> Cell:
    """Return the radio cell that has the mean capacity of the scenario.

    Its factor `scale_bps` is computed from mean capacity, peak rate and shadowing.

    Raises:
        Undefined: no factor gives this mean capacity with this peak rate and shadowing.

    """
    return _solved(
        capacity.peak_bps, capacity.mean_bps, stationary_sigma_db(capacity), snr_of(capacity)
    )


def snr_of(capacity: Shadowing) -> float:
    """Return SNR_0, the ratio of signal to interference without shadowing; not in dB."""
    if capacity.snr_db is None:
        return worst_case_snr(capacity.path_loss_exponent)
    return _same_everywhere(10 ** (capacity.snr_db / 10))


def _same_everywhere(number: float) -> float:
    """Return a number with twelve digits, which are the same on all processors.

    In a simulation, a rate that differs in the sixteenth digit can change which packet is dropped,
    and then everything that follows.
    """
    return float(f"{number:.12g}")


@functools.lru_cache(maxsize=64)
def _solved(peak_bps: float, mean_bps: float, sigma_db: float, snr: float) -> Cell:
    from scipy.optimize import brentq  # imported here, because its import takes long

    # The logarithm does not depend on the factor that is searched for.
    log_of_snr = _log_of_snr(snr, sigma_db * _STANDARD_NORMAL)

    def excess_bps(log_of_scale: float) -> float:
        cell = Cell(peak_bps, math.exp(log_of_scale), snr)
        return float(_DENSITY @ cell._limited(log_of_snr)) - mean_bps

    low, high = math.log(mean_bps) - 50, math.log(mean_bps) + 300
    if excess_bps(high) > 0:
        high = brentq(excess_bps, low, high, xtol=1e-15, rtol=4 * np.finfo(float).eps)
    cell = Cell(peak_bps, _same_everywhere(math.exp(high)), snr)
    if not math.isclose(cell.mean_bps(sigma_db), mean_bps, rel_tol=1e-6):
        raise Undefined("no radio cell has this mean capacity with this peak rate and shadowing")
    return cell


def coherence_s(capacity: Shadowing) -> float:
    """Return the time in seconds in which the mobile user moves by the coherence distance."""
    return capacity.coherence_distance_m / capacity.speed_mps


def stationary_sigma_db(capacity: Shadowing) -> float:
    """Return the shadowing's standard deviation in dB in the steady state.

    With `variance: literal` it depends on the time step and the user's speed.
    """
    alpha = correlation_per_step(capacity.step_s, coherence_s(capacity))
    return capacity.sigma_db * standard_deviation_ratio(alpha, capacity.variance)
