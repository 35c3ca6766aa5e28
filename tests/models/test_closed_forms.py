"""Closed forms equal their formulas in 50 digits, have the right limits, and the right relations.

Each closed form (formula for the goodput) is implemented again as printed in its paper, with 50
digits and without regard for rounding. Both implementations are evaluated at random values of the
symbols, log-uniform over `RANGES`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

import mpmath
import pytest

from tcpgoodput.models.delay_spikes import lossless
from tcpgoodput.models.literature import (
    altman,
    cubic,
    lakshman_madhow,
    misra,
    pftk,
    pftk_approximation,
    pftk_send_rate,
)
from tcpgoodput.models.losses import timeout_probability
from tcpgoodput.models.mathis import square_root
from tcpgoodput.models.variable_capacity import closed_form
from tcpgoodput.scenario.distributions import Exponential

DIGITS, POINTS, CLOSE, SMALLEST = 50, 200, 1e-12, 1e-300
CASES = 500

mp = mpmath.mp
Numbers = dict[str, Any]

RANGES: dict[str, tuple[float, float]] = {
    "p": (1e-9, 0.9),
    "rtt": (1e-3, 10.0),
    "timeout": (1e-2, 100.0),
    "window": (1.0, 1e5),
    "buffer": (1.0, 1e5),
    "rate": (1.0, 1e6),
    "interval": (1e-2, 1e5),
    "silence": (1e-3, 1e2),
}
"""Smallest and largest random value of each symbol of a formula (seconds, packets, packets/s),
chosen by hand."""


def drawn(draw: Random, names: str) -> Numbers:
    """Return a random value of each symbol in `names`; b (packets per ACK) is 1, 2 or 3."""
    found: Numbers = {}
    for name in names.split():
        if name == "b":
            found[name] = draw.randint(1, 3)
        else:
            low, high = RANGES[name]
            found[name] = low * (high / low) ** draw.random()
    return found


# The formulas as the papers print them, for numbers of mpmath with 50 digits


def _q(w: Any, p: Any) -> Any:
    if w <= 3:
        return mp.mpf(1)
    q = 1 - p
    return min(mp.mpf(1), (1 - q**3) * (1 + q**3 * (1 - q ** (w - 3))) / (1 - q**w))


def _window(p: Any, b: Any) -> Any:
    return (2 + b) / (3 * b) + mp.sqrt(8 * (1 - p) / (3 * b * p) + ((2 + b) / (3 * b)) ** 2)


def pftk_printed(p: Any, rtt: Any, timeout: Any, b: Any, window: Any, *, sent: bool) -> Any:
    b = mp.mpf(b)
    w = _window(p, b)
    limited = w >= window
    w = window if limited else w
    backoff = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    q = _q(w, p)
    in_avoidance = b * w / 8 + (1 - p) / (p * w) + 2 if limited else b * w / 2 + 1
    lasts = rtt * in_avoidance + q * timeout * backoff / (1 - p)
    packets = (1 - p) / p + (w + q / (1 - p) if sent else w / 2 + q)
    return packets / lasts


def _approximation(p: Any, rtt: Any, timeout: Any, b: Any, window: Any) -> Any:
    b = mp.mpf(b)
    rare = timeout * min(mp.mpf(1), 3 * mp.sqrt(3 * b * p / 8)) * p * (1 + 32 * p**2)
    return min(window / rtt, 1 / (rtt * mp.sqrt(2 * b * p / 3) + rare))


def _cubic(p: Any, rtt: Any) -> Any:
    grown = mp.mpf(4) / 10 * mp.mpf("3.7") / (4 * mp.mpf("0.3"))
    reno = mp.mpf(3) * mp.mpf("0.3") / mp.mpf("1.7") * mp.mpf("1.7") / (2 * mp.mpf("0.3") * p)
    return max(grown ** mp.mpf("0.25") * (rtt / p) ** mp.mpf("0.75"), mp.sqrt(reno)) / rtt


def _utilisation(held: Any, product: Any) -> Any:
    x = min(mp.mpf(1), held / product)
    return mp.mpf(3) / 4 * (1 + x) ** 2 / (1 + x + x**2)


def _after_a_spike(interval: Any, silence: Any, rtt: Any, rate: Any) -> Any:
    rise = rtt * mp.log(rate, 2)
    on = interval - silence
    if on <= 0:
        return mp.mpf(0)
    doubling = mp.log(2) / rtt
    return (mp.e ** (doubling * min(on, rise)) - 1) / doubling + rate * max(on - rise, 0)


def _exponential_spikes(interval: Any, silence: Any, rtt: Any, rate: Any) -> Any:
    doubling, rise = mp.log(2) / rtt, rtt * mp.log(rate, 2)
    z = doubling - 1 / interval
    rising = (mp.e ** (z * rise) - 1) / z
    full = rate * interval * mp.e ** (-rise / interval)
    return mp.e ** (-silence / interval) * (rising + full)


Form = tuple[str, str, Callable[..., float], Callable[..., Any]]
"""A closed form: its name, its symbols, the project's function, and the paper's formula."""

FORMS: list[Form] = [
    ("mathis", "p rtt b", lambda p, rtt, b: square_root.throughput_pps(p, rtt, b),
         lambda p, rtt, b: mp.sqrt(mp.mpf(3) / (2 * b * p)) / rtt),
    ("misra", "p rtt b", lambda p, rtt, b: misra.throughput_pps(p, rtt, b),
         lambda p, rtt, b: mp.sqrt(2 / (b * p)) / rtt),
    ("altman, Poisson", "p rtt b",
         lambda p, rtt, b: altman.throughput_pps(p, rtt, b, altman.constant(0.5, altman.POISSON)),
         lambda p, rtt, b: mp.sqrt(2 / (b * p)) / rtt),
    ("altman, periodic", "interval rtt b",
         lambda interval, rtt, b: altman.throughput_of_events_pps(interval, rtt, b),
         lambda interval, rtt, b: mp.mpf(3) / 2 * interval / (b * rtt**2)),
    ("timeout probability", "window p",
         lambda window, p: timeout_probability(window, p), lambda window, p: _q(window, p)),
    ("pftk", "p rtt timeout b window",
         lambda p, rtt, timeout, b, window: pftk.goodput_pps(p, rtt, timeout, b, window),
         lambda **at: pftk_printed(**at, sent=False)),
    ("pftk send rate", "p rtt timeout b window",
         lambda p, rtt, timeout, b, window: pftk_send_rate.send_rate_pps(
             p, rtt, timeout, b, window),
         lambda **at: pftk_printed(**at, sent=True)),
    ("pftk approximation", "p rtt timeout b window",
         lambda p, rtt, timeout, b, window: pftk_approximation.approximate_send_rate_pps(
             p, rtt, timeout, b, window), _approximation),
    ("cubic", "p rtt", lambda p, rtt: cubic.throughput_pps(p, rtt), _cubic),
    ("saw tooth", "buffer window",
         lambda buffer, window: closed_form.utilisation(buffer, window),
         lambda buffer, window: _utilisation(buffer, window)),
    ("lakshman, madhow", "rate rtt buffer",
         lambda rate, rtt, buffer: lakshman_madhow.throughput_pps(rate, rtt, buffer),
         lambda rate, rtt, buffer: rate * _utilisation(buffer, rate * rtt + 1)),
    ("delay spikes, constant", "interval silence rtt rate",
         lambda interval, silence, rtt, rate: float(
             lossless.packets(interval - silence, rtt, rate)),
         _after_a_spike),
    ("delay spikes, exponential", "interval silence rtt rate",
         lambda interval, silence, rtt, rate: float(lossless.mean_packets(
             Exponential(distribution="exponential", mean_s=interval), silence, rtt, rate)),
         _exponential_spikes),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "symbols", "ours", "theirs"), FORMS, ids=[name for name, *_ in FORMS]
)
def test_a_closed_form_equals_its_formula(
    name: str, symbols: str, ours: Callable[..., float], theirs: Callable[..., Any]
) -> None:
    draw = Random(name)
    with mpmath.workdps(DIGITS):
        for _ in range(POINTS):
            at = drawn(draw, symbols)
            value = ours(**at)
            exact = theirs(**{key: v if key == "b" else mpmath.mpf(v) for key, v in at.items()})
            # If the exact value is too small for a float, the project's value must be almost 0.
            is_none = abs(exact) < SMALLEST
            assert (value if is_none else abs(value - exact) / abs(exact)) <= CLOSE, at


# Limits that formulas must have, for example for rare losses


def limits() -> list[tuple[str, float, float, float]]:
    """Return checks of formulas near a limit: name, computed value, limit, relative tolerance."""
    tiny, b, rtt, rto = 1e-13, 2, 0.1, 1.0
    root = math.sqrt(3 / (2 * b * tiny)) / rtt
    poisson = altman.constant(0.5, altman.POISSON)
    law = Exponential(distribution="exponential", mean_s=1e9)
    at_one = Exponential(distribution="exponential", mean_s=7.0)
    critical_s = rtt / math.log(2)

    def exponential(mean_s: float) -> float:
        law = Exponential(distribution="exponential", mean_s=mean_s)
        return float(lossless.mean_packets(law, 0.5, rtt, 100.0))

    # RTT R at which CUBIC's window, (0.4 · 3.7 / 1.2)^(1/4) (R/p)^(3/4), equals Reno's, √(1.5/p).
    meeting_s = 0.01 * (math.sqrt(150) / (0.4 * 3.7 / 1.2) ** 0.25) ** (4 / 3)
    return [
        ("Q tends to 3/w", timeout_probability(50.0, tiny), 3 / 50, 1e-9),
        ("Q is 1 up to three packets", timeout_probability(3.0, 0.01), 1, 0),
        ("Q is continuous there", timeout_probability(3 + 1e-9, 0.01), 1, 1e-8),
        ("Q tends to 1 for certain loss", timeout_probability(50.0, 1 - 1e-12), 1, 1e-9),
        ("pftk tends to the root", pftk.goodput_pps(tiny, rtt, rto, b), root, 1e-5),
        ("its send rate too", pftk_send_rate.send_rate_pps(tiny, rtt, rto, b), root, 1e-5),
        (
            "its approximation too",
            pftk_approximation.approximate_send_rate_pps(tiny, rtt, rto, b),
            root,
            1e-5,
        ),
        ("pftk without loss is w/R", pftk.goodput_pps(0.0, rtt, rto, b, 20.0), 200, 1e-15),
        ("and tends to it", pftk.goodput_pps(1e-15, rtt, rto, b, 20.0), 200, 1e-9),
        ("the send rate tends to w/R", pftk_send_rate.send_rate_pps(1e-15, rtt, rto, b, 20.0),
         200, 1e-9),
        ("the approximation is cut at w/R",
         pftk_approximation.approximate_send_rate_pps(1e-12, rtt, rto, b, 20.0), 200, 1e-15),
        ("misra over mathis",
         misra.throughput_pps(0.01, rtt) / square_root.throughput_pps(0.01, rtt),
         math.sqrt(4 / 3), 1e-15),
        ("altman, periodic, is mathis",
         altman.throughput_pps(0.01, rtt, b, altman.constant(0.5, ())),
         square_root.throughput_pps(0.01, rtt, b), 1e-15),
        ("altman, Poisson, is misra", altman.throughput_pps(0.01, rtt, b, poisson),
         misra.throughput_pps(0.01, rtt, b), 1e-15),
        ("events every S seconds are p = 1/(X S)", altman.throughput_of_events_pps(9.0, rtt, b),
         altman.throughput_pps(1 / (9.0 * altman.throughput_of_events_pps(9.0, rtt, b)), rtt, b,
                               math.sqrt(1.5)), 1e-14),
        ("a window lost whole: E√S = Γ(3/2)", square_root.mean_root_of_exponentials(0.0),
         math.gamma(1.5), 1e-15),
        ("Reno's constant is above periodic losses'",
         float(math.sqrt(1.5) < square_root.independent_loss_constant() < math.sqrt(2)),
         1, 0),
        ("no buffer: three quarters", closed_form.utilisation(1e-15, 100.0), 0.75, 1e-9),
        ("a full buffer: all of it", closed_form.utilisation(100.0, 100.0), 1, 1e-15),
        ("an endless buffer: all of it", lakshman_madhow.throughput_pps(50.0, rtt, 1e12),
         50, 1e-15),
        ("cubic's regions meet", cubic.cubic_window_packets(0.01, meeting_s),
         cubic.reno_friendly_window_packets(0.01), 1e-12),
        ("rare spikes leave the rate",
         float(lossless.mean_packets(law, 1.0, rtt, 100.0)) / 1e9, 100, 1e-6),
        ("one packet a second needs no rise",
         float(lossless.mean_packets(at_one, 0.0, rtt, 1.0)) / 7.0, 1, 1e-14),
        ("r = ln 2 is no gap, from below", exponential(critical_s * (1 - 1e-9)),
         exponential(critical_s), 1e-7),
        ("r = ln 2 is no gap, from above", exponential(critical_s * (1 + 1e-9)),
         exponential(critical_s), 1e-7),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "limit", "near"), [pytest.param(*rest, id=name) for name, *rest in limits()]
)
def test_a_formula_has_the_right_limit(value: float, limit: float, near: float) -> None:
    assert abs(value - limit) <= near * abs(limit)


# Relations that must hold between values of one formula


def _near(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-11)


def _spikes(interval: float, silence: float, rtt: float, rate: float) -> float:
    law = Exponential(distribution="exponential", mean_s=interval)
    return float(lossless.mean_packets(law, silence, rtt, rate))


_full = "p rtt timeout b window"
_ROUND = 1 + 1e-12

RELATIONS: list[tuple[str, str, Callable[..., bool]]] = [
    ("mathis knows no unit of time", "p rtt b", lambda p, rtt, b: _near(
        7 * square_root.throughput_pps(p, 7 * rtt, b), square_root.throughput_pps(p, rtt, b))),
    ("mathis: a quarter of the loss, twice the rate", "p rtt b", lambda p, rtt, b: _near(
        square_root.throughput_pps(p / 4, rtt, b), 2 * square_root.throughput_pps(p, rtt, b))),
    ("mathis: b is a factor of p", "p rtt b", lambda p, rtt, b: _near(
        square_root.throughput_pps(p, rtt, b), square_root.throughput_pps(b * p, rtt, 1))),
    ("pftk knows no unit of time", _full, lambda p, rtt, timeout, b, window: _near(
        7 * pftk.goodput_pps(p, 7 * rtt, 7 * timeout, b, window),
        pftk.goodput_pps(p, rtt, timeout, b, window))),
    ("pftk falls with the round trip", _full, lambda p, rtt, timeout, b, window:
        pftk.goodput_pps(p, 1.1 * rtt, timeout, b, window)
        < pftk.goodput_pps(p, rtt, timeout, b, window)),
    ("pftk does not rise with the timeout", _full, lambda p, rtt, timeout, b, window:
        pftk.goodput_pps(p, rtt, 1.1 * timeout, b, window)
        <= _ROUND * pftk.goodput_pps(p, rtt, timeout, b, window)),
    ("no more arrives than is sent", _full, lambda p, rtt, timeout, b, window:
        pftk.goodput_pps(p, rtt, timeout, b, window)
        <= _ROUND * pftk_send_rate.send_rate_pps(p, rtt, timeout, b, window)),
    ("the approximation falls with loss", _full, lambda p, rtt, timeout, b, window:
        pftk_approximation.approximate_send_rate_pps(min(1.1 * p, 0.99), rtt, timeout, b, window)
        <= pftk_approximation.approximate_send_rate_pps(p, rtt, timeout, b, window)),
    ("Q falls with the window", "window p", lambda window, p:
        timeout_probability(1.1 * window, p) <= _ROUND * timeout_probability(window, p)),
    ("Q is a probability", "window p", lambda window, p:
        0 < timeout_probability(window, p) <= 1),
    ("cubic falls with loss", "p rtt", lambda p, rtt:
        cubic.throughput_pps(1.1 * p, rtt) < cubic.throughput_pps(p, rtt)),
    ("a longer buffer carries no less", "buffer window", lambda buffer, window:
        closed_form.utilisation(1.1 * buffer, window) * _ROUND
        >= closed_form.utilisation(buffer, window) >= 0.75),
    ("spikes: no more than the rate", "interval silence rtt rate",
        lambda interval, silence, rtt, rate: 0 <= _spikes(interval, silence, rtt, rate)
        <= _ROUND * rate * interval),
    ("spikes: a longer silence brings less", "interval silence rtt rate",
        lambda interval, silence, rtt, rate: _spikes(interval, 1.1 * silence, rtt, rate)
        <= _spikes(interval, silence, rtt, rate)),
    ("spikes: a faster link brings no less", "interval silence rtt rate",
        lambda interval, silence, rtt, rate: _ROUND * _spikes(interval, silence, rtt, 1.1 * rate)
        >= _spikes(interval, silence, rtt, rate)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "symbols", "holds"), RELATIONS, ids=[name for name, *_ in RELATIONS]
)
def test_a_relation_between_values_of_a_formula_holds(
    name: str, symbols: str, holds: Callable[..., bool]
) -> None:
    draw = Random(name)
    for _ in range(CASES):
        at = drawn(draw, symbols)
        assert holds(**at), at
