"""Which family to use when: a tree of measurable quantities, its thresholds the models' own.

Every bound is a condition of the model whose domain it is a part of; none is made here. Within a
regime families come in the order of their ranks, as far as they are natively at home in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tcpgoodput.answers import Undefined
from tcpgoodput.comparison.regime import SEVERAL, regime
from tcpgoodput.models.delay_spikes.connection import (
    FEWEST_ROUND_TRIPS,
    LONGEST_TIMEOUT_RTTS,
    MAX_PRODUCT_PACKETS,
    product_packets,
    round_trip_s,
)
from tcpgoodput.models.delay_spikes.lossy_rtt_units import MAX_LOSS
from tcpgoodput.models.handoffs.newreno_handoffs import PAUSE_RTTS, RECOVERIES, handoff_of
from tcpgoodput.models.handoffs.recovery_period import fixed_point
from tcpgoodput.models.limits import FILLED, HITS, TIMEOUTS, held_packets
from tcpgoodput.models.literature import padhye
from tcpgoodput.models.literature.lakshman_madhow import ROOM
from tcpgoodput.models.mathis import square_root
from tcpgoodput.models.packet_trains import model as trains
from tcpgoodput.models.packet_trains.cycle import VARIANTS
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share
from tcpgoodput.scenario.vocabulary import Handoffs

HALVING = ("reno", "newreno", "sack")
"""Senders that take half of their window off at a loss, and go on."""

REPAIRING = ("newreno", "sack")
"""Those of them that repair several losses of a window."""


@dataclass(frozen=True)
class Check:
    """A question about a connection that a measurement answers."""

    asks: str
    value: Callable[[Scenario], float]
    least: float = -math.inf
    most: float = math.inf

    def holds(self, scenario: Scenario) -> bool:
        """Tell whether a scenario passes."""
        return self.least <= self.value(scenario) <= self.most


@dataclass(frozen=True)
class Candidate:
    """A family, by its first model, and what must hold for it to be advised."""

    family: str
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Step:
    """What a scenario answered to a question."""

    family: str
    asks: str
    value: float
    holds: bool


@dataclass(frozen=True)
class Walk:
    """A scenario's way through the tree."""

    regime: str
    steps: tuple[Step, ...]
    family: str | None
    """Who is advised; None: simulate."""


def _product(scenario: Scenario) -> float:
    return scenario.rate_pps * scenario.propagation_rtt_s


def _window(scenario: Scenario) -> float:
    return scenario.tcp.max_window_packets or math.inf


def _buffer(scenario: Scenario) -> float:
    return scenario.path.buffer_packets or math.inf


def _window_share(scenario: Scenario, peak_packets: float) -> float:
    """Return the window that a sender reaches over the path's product, at most the receiver's."""
    return min(peak_packets, _window(scenario)) / _product(scenario)


def _room(scenario: Scenario) -> float:
    """Return how often the receiver window takes what path and buffer hold; above 1 is needed."""
    return _window(scenario) / held_packets(scenario)


def _receiver_room(scenario: Scenario) -> float:
    peak = square_root.peak_window_packets(lost_share(scenario), scenario.tcp.ack_every)
    return _window(scenario) / peak


def _trains_room(scenario: Scenario) -> float:
    usual = math.sqrt(8 / (3 * trains.channel_of(scenario).bad))
    return trains.largest_window_packets(scenario) / usual


def _overflow(scenario: Scenario) -> float:
    """Return the receiver window over what path and buffer hold, 0 if all fits into the buffer."""
    held = product_packets(scenario) + _buffer(scenario)
    return _window(scenario) / held if math.isfinite(held) else 0.0


def _pause_s(scenario: Scenario) -> float:
    spikes = scenario.spikes
    assert spikes is not None  # or the question is not asked
    return spikes.interval.mean_s - spikes.duration.mean_s


def _spike_s(scenario: Scenario) -> float:
    assert scenario.spikes is not None  # or the question is not asked
    return scenario.spikes.duration.mean_s


def _hits(scenario: Scenario) -> Handoffs:
    assert scenario.handoffs is not None  # or the question is not asked
    return scenario.handoffs


def _hit_largest(scenario: Scenario) -> float:
    """Return the largest window between hand-offs."""
    return min(fixed_point(handoff_of(scenario)), _window(scenario))


def _hit_window(scenario: Scenario) -> float:
    return _hit_largest(scenario) / (HITS * _hits(scenario).packets + scenario.tcp.dupthresh)


def _handoff_window(scenario: Scenario) -> float:
    return _hit_largest(scenario) / _product(scenario)


def _buffer_share(scenario: Scenario) -> float:
    """Return the buffer over the largest window between hand-offs."""
    return _buffer(scenario) / _hit_largest(scenario)


def _apart(scenario: Scenario) -> float:
    handoff = handoff_of(scenario)
    return handoff.interval_rtts / (RECOVERIES * handoff.recovery_rtts + PAUSE_RTTS)


def _recovery(scenario: Scenario) -> float:
    """Return an impatient NewReno's recovery from losses over its timeout, 0 for all others."""
    tcp = scenario.tcp
    impatient = tcp.variant == "newreno" and tcp.recovery == "impatient"
    longest_s = handoff_of(scenario).recovery_rtts * scenario.propagation_rtt_s
    return longest_s / scenario.timeout_s if impatient and _hits(scenario).fate == "lost" else 0.0


def _repairs(scenario: Scenario) -> float:
    """Return 1 for a sender that repairs as many losses as a hand-off makes, else 0."""
    one = _is_reno(scenario) and _hits(scenario).packets == 1
    return float(scenario.tcp.variant in REPAIRING or one)


def _overtaken(scenario: Scenario) -> float:
    """Return by how many packets a late one is overtaken over duplicate ACKs; 1 for a lost one."""
    hits = _hits(scenario)
    if hits.fate == "lost":
        return 1.0
    return (hits.late_s or 0.0) * scenario.rate_pps / scenario.tcp.dupthresh


def _is_reno(scenario: Scenario) -> bool:
    return scenario.tcp.variant == "reno"


def _most_loss(scenario: Scenario) -> float:
    return padhye.RENO_MOST_LOSS if _is_reno(scenario) else padhye.MOST_LOSS


HALVES = Check("sender halves its window", lambda s: float(s.tcp.variant in HALVING), least=1)
REPAIRS = Check("NewReno or SACK", lambda s: float(s.tcp.variant in REPAIRING), least=1)
EACH = Check("an ACK per packet", lambda s: s.tcp.ack_every, most=1)
BURSTS = Check(
    "buffer $B / b > 2$",
    lambda s: _buffer(s) / s.tcp.ack_every,
    least=math.nextafter(2, 3),
)
FLUID = Check(
    "path and buffer $CR + B \\geq 4$",
    lambda s: min(held_packets(s), _window(s)),
    least=4,
)
APART = Check(
    f"time between spikes $/ R \\geq {FEWEST_ROUND_TRIPS}$",
    lambda s: _pause_s(s) / round_trip_s(s),
    least=FEWEST_ROUND_TRIPS,
)
NO_OVERFLOW = Check("$W_m / (CR + B) \\leq 1$ or no limit to $B$", _overflow, most=1)
SLOTS = Check(
    "the channel moves with time",
    lambda s: float(getattr(s.loss, "clock", "slot") == "slot"),
    least=1,
)
FULL = Check(
    "$W_m \\geq CR$",
    lambda s: (_window(s) + 1) / product_packets(s),
    least=math.nextafter(1, 2),
)


PFTK_LOSS = f"$p \\leq {100 * padhye.MOST_LOSS:g}$ % (Reno: {100 * padhye.RENO_MOST_LOSS:g} %)"
TRAINS = (
    Check("sender is not Reno", lambda s: float(s.tcp.variant in VARIANTS), least=1),
    EACH,
    Check(
        f"bad slots $\\leq {100 * trains.MOST_LOSS:g}$ %",
        lambda s: trains.channel_of(s).bad,
        most=trains.MOST_LOSS,
    ),
    Check(
        f"$\\min(W_m, CR) / \\sqrt{{8/3p}} \\geq {trains.LEAST_ROOM:g}$",
        _trains_room,
        least=trains.LEAST_ROOM,
    ),
    Check(
        f"burst $/ \\min(W_m, CR) \\leq {trains.LONGEST_BURST:g}$",
        lambda s: 1 / trains.channel_of(s).beta / trains.largest_window_packets(s),
        most=trains.LONGEST_BURST,
    ),
    BURSTS,
)


LOSSY = (
    HALVES,
    EACH,
    Check(f"$p \\leq {100 * MAX_LOSS:g}$ %", lost_share, most=MAX_LOSS),
    Check(
        f"$T_0 / R \\leq {LONGEST_TIMEOUT_RTTS}$",
        lambda s: s.timeout_s / round_trip_s(s),
        most=LONGEST_TIMEOUT_RTTS,
    ),
    FULL,
    NO_OVERFLOW,
)


TREE: dict[str, tuple[Candidate, ...]] = {
    "overflow alone": (
        Candidate(
            "lakshman_madhow",
            (HALVES, BURSTS, FLUID, Check(f"$W_m \\geq {ROOM:g} (CR + B)$", _room, least=ROOM)),
        ),
        Candidate("variable_capacity.fluid", (HALVES, EACH, BURSTS, FLUID)),
    ),
    "independent loss": (
        Candidate("packet_trains", TRAINS),
        Candidate(
            "mathis",
            (
                HALVES,
                Check(
                    f"$p \\leq {100 * square_root.MOST_LOSS:g}$ %",
                    lost_share,
                    most=square_root.MOST_LOSS,
                ),
                Check(
                    f"$T_0 / R \\leq {square_root.LONGEST_TIMEOUT_RTTS}$",
                    lambda s: s.timeout_s / s.propagation_rtt_s,
                    most=square_root.LONGEST_TIMEOUT_RTTS,
                ),
                Check("$W_m \\geq \\sqrt{8/3bp}$", _receiver_room, least=1),
                Check(
                    f"$\\sqrt{{8/3bp}} \\leq {FILLED:g} CR$",
                    lambda s: _window_share(
                        s, square_root.peak_window_packets(lost_share(s), s.tcp.ack_every)
                    ),
                    most=FILLED,
                ),
                BURSTS,
            ),
        ),
        Candidate("delay_spikes.lossless", LOSSY),
        Candidate(
            "pftk",
            (
                HALVES,
                Check(
                    PFTK_LOSS,
                    lambda s: lost_share(s) / _most_loss(s),
                    most=1,
                ),
                Check(
                    f"$T_0 / R \\leq {padhye.LONGEST_TIMEOUT_RTTS}$ (but for Reno)",
                    lambda s: 0.0 if _is_reno(s) else s.timeout_s / s.propagation_rtt_s,
                    most=padhye.LONGEST_TIMEOUT_RTTS,
                ),
                Check(
                    f"$\\sqrt{{8/3bp}} \\leq {FILLED:g} CR$",
                    lambda s: _window_share(
                        s, padhye.window_at_loss(lost_share(s), s.tcp.ack_every)
                    ),
                    most=FILLED,
                ),
                BURSTS,
            ),
        ),
    ),
    "bursts of loss": (Candidate("packet_trains", (SLOTS, *TRAINS)),),
    "delay spikes": (
        Candidate(
            "delay_spikes.lossless",
            (
                EACH,
                Check(
                    "spike $/ T_0 > 1$",
                    lambda s: _spike_s(s) / s.timeout_s,
                    least=math.nextafter(1, 2),
                ),
                APART,
                Check(
                    f"$CR < {MAX_PRODUCT_PACKETS:g}$",
                    product_packets,
                    most=math.nextafter(MAX_PRODUCT_PACKETS, 0),
                ),
                FULL,
                NO_OVERFLOW,
            ),
        ),
    ),
    "delay spikes and loss": (Candidate("delay_spikes.lossless", (*LOSSY, APART)),),
    "hand-offs": (
        Candidate(
            "handoffs",
            (
                Check("sender halves, repairs $d$ losses", _repairs, least=1),
                Check(
                    f"$A_h / T_0 \\geq {TIMEOUTS}$",
                    lambda s: _hits(s).interval_s / s.timeout_s,
                    least=TIMEOUTS,
                ),
                Check(
                    f"$A_h / R \\geq {RECOVERIES} r + {PAUSE_RTTS}$",
                    _apart,
                    least=1,
                ),
                Check(f"window $> {HITS:g} d + 3$", _hit_window, least=math.nextafter(1, 2)),
                Check("window $\\leq CR$", _handoff_window, most=1),
                Check("$B \\geq$ half the window", _buffer_share, least=0.5),
                Check("impatient: $r R \\leq T_0$", _recovery, most=1),
                Check("lost, or late by 3 packets", _overtaken, least=1),
                Check("one round trip $R$", lambda s: len(_hits(s).delay_steps_s), most=0),
                BURSTS,
            ),
        ),
    ),
    "varying capacity": (Candidate("variable_capacity.fluid", (REPAIRS, EACH, BURSTS, FLUID)),),
    SEVERAL: (),
}
"""By regime, in the order in which they are asked; who passes none is simulated."""


def walk(scenario: Scenario) -> Walk:
    """Return a scenario's way through the tree, its steps up to the last one that was asked."""
    name, steps = regime(scenario), []
    for candidate in TREE[name]:
        for check in candidate.checks:
            step = _step(candidate.family, check, scenario)
            steps.append(step)
            if not step.holds:
                break
        else:
            return Walk(name, tuple(steps), candidate.family)
    return Walk(name, tuple(steps), None)


def _step(family: str, check: Check, scenario: Scenario) -> Step:
    """Return a step; a question that makes no sense of a scenario is answered by no."""
    try:
        return Step(family, check.asks, check.value(scenario), check.holds(scenario))
    except Undefined:
        return Step(family, check.asks, math.nan, holds=False)


def recorded(way: Walk) -> dict[str, Any]:
    """Return a walk as data; a value without an end is None."""
    steps = [
        {**vars(step), "value": step.value if math.isfinite(step.value) else None}
        for step in way.steps
    ]
    return {"regime": way.regime, "steps": steps, "family": way.family}
