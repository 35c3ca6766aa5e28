"""Held-out scenarios, drawn at random by a fixed rule before any model was evaluated on them.

python -m tcpgoodput.comparison.held FOLDER

`STRATA` gives the number of scenarios of each regime. Variants and kinds of paths alternate, and
every number is log-uniform in its range. The rule knows no model. A change of a range requires a
new draw of all scenarios.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tcpgoodput.storage import write_text

SEED = 20_240_611

VARIANTS = {"sack": "SACK", "newreno": "NewReno", "reno": "Reno", "tahoe": "Tahoe"}
MSS_BYTES, HEADER_BYTES = (1460, 536), 40
TIMEOUTS_S = (0.2, 1.0)
INITIAL_WINDOW = 2

RATE_BPS, SLOW_BPS = (5e5, 2e7), (4e4, 5e5)
"""Ranges of a path's rate, and of the rate of a path with delay spikes, as on slow cellular
links."""
RTT_S, FORWARD_SHARE = (0.02, 0.3), 0.4
"""Range of the round-trip propagation delay, and share of it that lies before the bottleneck."""
BUFFER_PRODUCTS, LEAST_BUFFER = (0.25, 2.0), 6
"""Buffer of a path with a small buffer, in bandwidth-delay products, and its smallest number of
packets."""
WINDOW_PRODUCTS, LEAST_WINDOW = (0.5, 2.0), 5
"""Receiver window of a path with a large buffer, in bandwidth-delay products, and its smallest
number of packets."""

LOSS = (1e-4, 5e-2)
BURST_SLOTS, BAD_SHARE = (1.5, 30.0), (5e-4, 3e-2)
SPIKE_INTERVAL_S, SPIKE_S, SPREAD = (10.0, 60.0), (0.5, 8.0), 0.5
"""Ranges of mean spike intervals and durations, and half-width of a uniform law relative to its
mean."""
HANDOFF_INTERVAL_S, HIT_PACKETS, LATE_ROUND_TRIPS = (1.0, 20.0), (1.0, 15.0), (0.3, 3.0)
LOW_SHARE, CYCLES_PER_ROUND_TRIP, COHERENCE_ROUND_TRIPS = (0.05, 0.5), (1e-3, 1.0), (1.0, 100.0)
MEAN_SHARE, SPEED_MPS = (0.5, 0.8), (1.0, 30.0)


class Draw:
    """Random numbers that are the same in every version of Python."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def between(self, ends: tuple[float, float]) -> float:
        """Return a log-uniform random number, rounded to three digits."""
        low, high = ends
        return rounded(low * (high / low) ** self._random.random())

    def one_of(self, options: tuple[Any, ...]) -> Any:
        """Return one of several options, each with equal probability."""
        return options[int(len(options) * self._random.random())]


class Impaired(NamedTuple):
    """Impairment of a path: keys of the scenario, and a description in words."""

    keys: dict[str, Any]
    words: str


class Link(NamedTuple):
    """The path that is impaired."""

    rate_bps: float
    rtt_s: float


def rounded(value: float) -> float:
    """Return a number rounded to three digits."""
    return float(f"{value:.3g}")


def independent(draw: Draw, link: Link) -> Impaired:
    """Draw independent loss."""
    p = draw.between(LOSS)
    return Impaired({"loss": {"process": "bernoulli", "probability": p}}, f"loss {100 * p:.3g} %")


def bursty(draw: Draw, link: Link) -> Impaired:
    """Draw a Gilbert-Elliott channel by its mean burst length and its share of bad slots."""
    slots, bad = draw.between(BURST_SLOTS), draw.between(BAD_SHARE)
    moves = {"good_to_bad": rounded(bad / (1 - bad) / slots), "bad_to_good": rounded(1 / slots)}
    words = f"bursts of {slots:.3g} slots, {100 * bad:.3g} % of slots bad"
    return Impaired({"loss": {"process": "gilbert-elliott", **moves}}, words)


def spikes(draw: Draw, link: Link) -> Impaired:
    """Draw delay spikes with uniform or exponential intervals and uniform durations."""
    interval_s, spike_s = draw.between(SPIKE_INTERVAL_S), draw.between(SPIKE_S)
    law = draw.one_of(("uniform", "exponential"))
    if law == "uniform":
        interval = _uniform(interval_s)
    else:
        interval = {"distribution": law, "mean_s": interval_s}
    words = f"spikes of {spike_s:.3g} s every {interval_s:.3g} s"
    return Impaired({"spikes": {"interval": interval, "duration": _uniform(spike_s)}}, words)


def _uniform(mean_s: float) -> dict[str, Any]:
    low_s, high_s = rounded((1 - SPREAD) * mean_s), rounded((1 + SPREAD) * mean_s)
    return {"distribution": "uniform", "low_s": low_s, "high_s": high_s}


def handoffs(draw: Draw, link: Link) -> Impaired:
    """Draw hand-offs that lose packets or delay them."""
    interval_s, hit = draw.between(HANDOFF_INTERVAL_S), round(draw.between(HIT_PACKETS))
    fate = draw.one_of(("lost", "late"))
    late = (
        {"late_s": rounded(draw.between(LATE_ROUND_TRIPS) * link.rtt_s)} if fate == "late" else {}
    )
    hits = {"interval_s": interval_s, "packets": hit, "fate": fate, **late}
    words = f"{hit} packet{'s' if hit > 1 else ''} {fate} every {interval_s:.3g} s"
    return Impaired({"handoffs": hits}, words)


def varying(draw: Draw, link: Link) -> Impaired:
    """Draw a capacity of one of four processes, whose peak is the path's rate."""
    process = draw.one_of(("sinusoid", "square", "ar1", "shadowing"))
    if process == "shadowing":
        share, speed = draw.between(MEAN_SHARE), draw.between(SPEED_MPS)
        means = {"peak_bps": link.rate_bps, "mean_bps": rounded(share * link.rate_bps)}
        keys = {"process": process, **means, "speed_mps": speed}
        return Impaired({"capacity": keys}, f"shadowing at {speed:.3g} m/s")
    low = rounded(draw.between(LOW_SHARE) * link.rate_bps)
    ends = {"process": process, "min_bps": low, "max_bps": link.rate_bps}
    down = f"down to {low / 1e6:.3g} Mbit/s"
    if process == "ar1":
        coherence_s = rounded(draw.between(COHERENCE_ROUND_TRIPS) * link.rtt_s)
        words = f"AR(1) capacity {down}, coherent for {coherence_s:.3g} s"
        return Impaired({"capacity": {**ends, "coherence_s": coherence_s}}, words)
    frequency_hz = rounded(draw.between(CYCLES_PER_ROUND_TRIP) / link.rtt_s)
    words = f"{process} of {frequency_hz:.3g} Hz {down}"
    return Impaired({"capacity": {**ends, "frequency_hz": frequency_hz}}, words)


STRATA: dict[str, tuple[int, tuple[Callable[[Draw, Link], Impaired], ...]]] = {
    "overflow": (3, ()),
    "independent": (4, (independent,)),
    "bursts": (4, (bursty,)),
    "spikes": (3, (spikes,)),
    "spikes-loss": (2, (spikes, independent)),
    "handoffs": (4, (handoffs,)),
    "capacity": (4, (varying,)),
    "handoffs-loss": (2, (handoffs, independent)),
    "capacity-loss": (2, (varying, independent)),
}
"""Number of scenarios of each kind, and the impairments of the kind."""


def drawn(seed: int = SEED) -> Iterator[dict[str, Any]]:
    """Yield the scenarios as data of the vocabulary."""
    draw, number = Draw(seed), 0
    for kind, (count, happens) in STRATA.items():
        for position in range(count):
            variant = tuple(VARIANTS)[number % len(VARIANTS)]
            number += 1
            deep = bool(happens) and position % 2 == 0
            yield _scenario(draw, f"h{number:02d}-{kind}", variant, deep, happens)


def _scenario(
    draw: Draw,
    name: str,
    variant: str,
    deep: bool,
    happens: tuple[Callable[[Draw, Link], Impaired], ...],
) -> dict[str, Any]:
    link = Link(draw.between(SLOW_BPS if spikes in happens else RATE_BPS), draw.between(RTT_S))
    mss_bytes, timeout_s = draw.one_of(MSS_BYTES), draw.one_of(TIMEOUTS_S)
    product = link.rate_bps * link.rtt_s / 8 / (mss_bytes + HEADER_BYTES)
    window, buffer = {}, {}
    if deep:
        window = {
            "max_window_packets": max(LEAST_WINDOW, round(product * draw.between(WINDOW_PRODUCTS)))
        }
    else:
        buffer = {
            "buffer_packets": max(LEAST_BUFFER, round(product * draw.between(BUFFER_PRODUCTS)))
        }
    found = [impaired(draw, link) for impaired in happens]
    forward_s = rounded(FORWARD_SHARE * link.rtt_s)
    words = ", ".join(part.words for part in found) or f"a buffer of {buffer['buffer_packets']}"
    rate, rtt = f"{link.rate_bps / 1e6:.3g} Mbit/s", f"{1e3 * link.rtt_s:.3g} ms"
    tcp = {"variant": variant, "mss_bytes": mss_bytes, "header_bytes": HEADER_BYTES, **window}
    tcp |= {"initial_window_packets": INITIAL_WINDOW, "rto": {"min_s": timeout_s}}
    delays = {"forward_delay_s": forward_s, "backward_delay_s": rounded(link.rtt_s - forward_s)}
    scenario = {"id": name, "title": f"{VARIANTS[variant]}, {rate}, {rtt}: {words}", "tcp": tcp}
    scenario["path"] = {"rate_bps": link.rate_bps, **delays, **buffer}
    return scenario | {key: value for part in found for key, value in part.keys.items()}


def as_yaml(scenario: dict[str, Any]) -> str:
    """Return a scenario as the text of its file."""
    return "".join(f"{key}: {_flow(value)}\n" for key, value in scenario.items())


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, str):
        return f'"{value}"' if " " in value else value
    return f"{value:.10g}"


def main() -> None:
    """Write every scenario into a folder, in a file with its id."""
    parser = argparse.ArgumentParser(prog="python -m tcpgoodput.comparison.held")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for scenario in drawn():
        write_text(folder / f"{scenario['id']}.yaml", as_yaml(scenario))


if __name__ == "__main__":
    main()
