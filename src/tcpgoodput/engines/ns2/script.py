"""The script that ns-2 runs for a scenario, and the scenarios that ns-2.35 cannot run.

ns-2 reads the bandwidth when the transmission of a packet starts, and does not change it during the
transmission. All packets have one size. So the script sets the bandwidth to the mean capacity over
the transmission of a packet. Then the transmission ends at the right time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.engines import path_schedule
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.cycles import first_ssthresh_packets, repeats
from tcpgoodput.engines.packet import mean_outage_s, out_of_reach
from tcpgoodput.engines.path_schedule import CapacitySteps
from tcpgoodput.engines.planning import SMALLEST_SSTHRESH, Plan
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import Bernoulli
from tcpgoodput.scenario.physics import mean_capacity_bps

AGENTS = {
    "oldtahoe": "TCP",
    "tahoe": "TCP",
    "reno": "TCP/Reno",
    "newreno": "TCP/Newreno",
    "sack": "TCP/Sack1",
}
"""Names of ns-2's sender classes, by TCP variant."""

MOST_TICKS = 32_767
"""Largest round-trip time in ticks of the TCP clock, which ns-2 stores as a 16-bit integer.
Scenarios whose round-trip time may exceed it are refused."""

SMALLEST_TIMEOUT_TICKS = 2

LARGEST_WINDOW = 100_000_000
"""Window in packets that replaces an unlimited window, because ns-2 counts packets in 32 bits."""

STANDARD_DUPTHRESH = 3


CapacityAs = Literal["link", "cross-traffic"]
"""What varies the capacity: the rate of the link, or a flow with priority that takes the rest of a
constant rate, as in the study variable_capacity."""

CROSS_TRAFFIC_BITS = 400
"""Size of a packet of the flow with priority, in bits, as in the study variable_capacity."""


def refusal(scenario: Scenario, capacity_as: CapacityAs = "link") -> str | None:
    """Return why ns-2 cannot run a scenario, or None if it can."""
    return next(_refusals(scenario, capacity_as), None)


def _refusals(scenario: Scenario, capacity_as: CapacityAs) -> Iterator[str]:
    if capacity_as == "cross-traffic":
        yield from _refusals_of_cross_traffic(scenario)
    tcp, rto = scenario.tcp, scenario.tcp.rto
    if tcp.variant == "cubic":
        yield "ns-2.35's CUBIC is a Linux kernel's of 2006, not RFC 9438"
    elif tcp.variant not in AGENTS:
        yield f"ns-2 has no sender {tcp.variant}; it has {', '.join(AGENTS)}"
    if tcp.is_todays:
        yield "ns-2.35 is of 2011, and has none of the functions of newer senders (tcp.stack)"
    if tcp.ssthresh_from == "window":
        yield "ns-2's sender halves the packets in flight: ssthresh_from must be flight"
    if tcp.variant == "newreno" and tcp.full_ack_window == "flight":
        yield "ns-2's NewReno ends a recovery with ssthresh: full_ack_window must be ssthresh"
    if tcp.variant == "newreno" and tcp.partial_window_deflation == "unchanged":
        yield "ns-2's NewReno changes its window at a partial ACK: see partial_window_deflation"
    if tcp.delayed_ack == "adaptive":
        yield "ns-2's delayed ACKs do not adapt: delayed_ack must be fixed"
    if scenario.delay is not None:
        yield "ns-2's links have a constant delay, not a trace of delays"
    if tcp.ca_increment == "floor":
        yield "ns-2 has no window option that adds 1/floor(cwnd) for each ACK"
    if tcp.ack_every > 2:
        yield f"ns-2's receiver acknowledges each packet or every second, not every {tcp.ack_every}"
    if tcp.limited_transmit and tcp.dupthresh > STANDARD_DUPTHRESH:
        yield (
            "ns-2's limited transmit sends a packet for each duplicate ACK below dupthresh, "
            "RFC 3042 for the first two only"
        )
    if (tcp.max_window_packets or 0) > LARGEST_WINDOW:
        yield f"ns-2 counts packets in 32 bits: max_window_packets is above {LARGEST_WINDOW}"
    if rto.fixed_s is not None and rto.fixed_s < SMALLEST_TIMEOUT_TICKS * rto.tick_s:
        yield f"ns-2's timeout is never below two ticks, {2 * rto.tick_s:g} s: see rto.tick_s"
    if rto.fixed_s is None and rto.initial_s < rto.min_s:
        yield "ns-2's timeout is never below rto.min_s, not even before the first sample"
    if _longest_queue_s(scenario) > MOST_TICKS * rto.tick_s:
        yield f"a round-trip time may exceed {MOST_TICKS} ticks, which ns-2 counts in 16 bits"
    smallest_buffer = 3 if scenario.spikes else 2
    if (scenario.path.buffer_packets or math.inf) < smallest_buffer:
        yield f"ns-2's queue and server hold {smallest_buffer} packets at least" + (
            " where there are delay spikes" if scenario.spikes else ""
        )
    if mean_outage_s(scenario) > 0:
        yield (
            "rare outages while the timeout doubles decide the goodput (loss.clock: packet, "
            "bad_to_good below 0.5), and ns-2 is not run for long enough: use the engine packet"
        )
    if reason := out_of_reach(scenario):
        yield reason


def _refusals_of_cross_traffic(scenario: Scenario) -> Iterator[str]:
    """Yield why a flow with priority cannot take a part of the link's rate."""
    if scenario.capacity is None:
        yield "capacity_as: cross-traffic needs a capacity, which the cross-traffic leaves free"
    if scenario.loss.impairment or scenario.spikes or scenario.handoffs:
        yield "losses, delay spikes and hand-offs would also affect the cross-traffic's packets"


def _longest_queue_s(scenario: Scenario) -> float:
    """Return the longest round trip at the path's full rate, in seconds."""
    packets = min(
        scenario.path.buffer_packets or math.inf, scenario.tcp.max_window_packets or math.inf
    )
    queue_s = packets / scenario.rate_pps if packets < math.inf else 0.0
    return scenario.propagation_rtt_s + queue_s


Array = NDArray[np.float64]

CELLS_PER_PACKET = 4
"""Number of times that the script sets ns-2's bandwidth in the last packet transmission time before
a jump of the capacity. A packet whose transmission starts in this time ends after the jump. Chosen
by hand."""

JUMP = 0.5
"""Smallest change of the capacity between consecutive steps that counts as a jump, relative to the
earlier step. Chosen by hand."""

CELLS_OF_SILENCE = 16
"""Number of times that the script sets ns-2's bandwidth during a step of zero capacity. A packet
whose transmission starts in such a step leaves only after it. Chosen by hand."""


def service_rates(steps: CapacitySteps, packet_bits: int) -> tuple[Array, Array]:
    """Return times in seconds, and the bandwidth in bit/s that ns-2 must be given at each time.

    With this bandwidth, a transmission that starts at this time ends as with the varying capacity.
    """
    edges = np.append(steps.times_s, _end_s(steps))
    rates = np.append(steps.rates_bps, steps.rates_bps[0 if steps.period_s else -1])
    times = _cells(edges[:-1], edges[1:], rates[:-1], rates[1:], packet_bits)
    middles = (times + np.append(times[1:], edges[-1])) / 2
    return times, packet_bits / _service_s(edges, rates, bool(steps.period_s), middles, packet_bits)


def _end_s(steps: CapacitySteps) -> float:
    if steps.period_s:
        return steps.period_s
    return float(2 * steps.times_s[-1] - steps.times_s[-2]) if steps.times_s.size > 1 else 1.0


def _cells(starts: Array, ends: Array, rates: Array, following: Array, packet_bits: int) -> Array:
    """Return the times in seconds at which the script sets ns-2's bandwidth, in rising order.

    A step has a start, an end (s), and a rate (bit/s); `following` is the rate of the next step.
    """
    silent = rates == 0
    parts = np.arange(1, CELLS_OF_SILENCE) / CELLS_OF_SILENCE
    in_silence = starts[silent, None] + (ends - starts)[silent, None] * parts
    jumps = ~silent & (np.abs(following - rates) > JUMP * rates)
    packets_s = packet_bits / rates[jumps, None]
    before = ends[jumps, None] - packets_s * np.arange(1, CELLS_PER_PACKET + 1) / CELLS_PER_PACKET
    before = before[before > starts[jumps, None]]
    return np.sort(np.concatenate([starts, in_silence.ravel(), before]))


def _service_s(edges: Array, rates: Array, repeats: bool, starts: Array, packet_bits: int) -> Array:
    """Return the durations in seconds of packet transmissions that start at given times."""
    carried = np.concatenate([[0.0], np.cumsum(rates[:-1] * np.diff(edges))])
    wanted = np.interp(starts, edges, carried) + packet_bits
    turns = np.floor(wanted / carried[-1]) if repeats else np.zeros_like(wanted)
    wanted -= turns * carried[-1]
    # Find the step in which the last bit is sent: the first step at whose end it has been sent.
    step = np.clip(np.searchsorted(carried, wanted, side="left") - 1, 0, rates.size - 2)
    rate = np.maximum(rates[step], np.finfo(float).tiny)
    ends = edges[step] + (wanted - carried[step]) / rate
    return np.asarray(turns * (edges[-1] - edges[0]) + ends - starts)


UNLIMITED_BUFFER = 10_000_000
LARGEST_SEED = 2**31 - 2

MOST_ENTRIES = 5_000_000
"""Largest number of times and packets that a script lists; the script then has 100 MB."""


@dataclass(frozen=True)
class Script:
    """The script of one run of ns-2, with its measured time (`begin_s` to `end_s`, in seconds)."""

    text: str
    begin_s: float
    end_s: float
    entries: int
    """Number of times and packets that the script lists."""
    period_s: float
    """Period of the capacity in seconds; 0 if it does not repeat."""
    covered: float
    """Number of packets, from the first one on, for which the list of lost packets was drawn."""
    handoffs: int
    """Number of hand-offs in the measured time."""
    cross_packets: float
    """Number of packets of the flow with priority in the whole run; 0 without such a flow."""


def script(
    scenario: Scenario,
    stream: np.random.Generator,
    plan: Plan,
    lose: Sequence[int] = (),
    capacity_as: CapacityAs = "link",
) -> Script:
    """Write the script of one replication.

    Args:
        scenario: the scenario to run.
        stream: the source of random numbers.
        plan: the durations of warm-up and measurement.
        lose: numbers of transmissions, from 0, that are lost before the queue; only for a scenario
            without loss.
        capacity_as: what varies the capacity: the rate of the link, or a flow with priority.

    Raises:
        Unavailable: the script would be too long.

    """
    tcp, path = scenario.tcp, scenario.path
    begin_s = plan.warm_up_s + stream.random() * plan.phase_s
    end_s = begin_s + plan.measured_s
    seed = int(stream.integers(1, LARGEST_SEED))
    spikes = path_schedule.spike_intervals(scenario, stream, end_s)
    capacity = path_schedule.capacity_in_steps(scenario, stream, end_s)
    handoffs = path_schedule.handoff_times(scenario, stream, end_s)
    losses = _losses(scenario, stream, end_s)
    if lose:
        losses = replace(losses, process="packets", drops=np.array(lose), before=True)
    times, rates = np.empty(0), np.empty(0)
    cross_packets = 0.0
    if capacity and capacity_as == "cross-traffic":
        # The study variable_capacity, IV: R_CBR = C_max - C(t).
        times, rates = capacity.times_s, np.maximum(path.rate_bps - capacity.rates_bps, 0.0)
        spared_bps = max(0.0, path.rate_bps - mean_capacity_bps(scenario))
        cross_packets = spared_bps / CROSS_TRAFFIC_BITS * end_s
    elif capacity:
        times, rates = service_rates(capacity, scenario.packet_bits)
    entries = spikes.size + times.size + handoffs.size + losses.bad_s.size + losses.drops.size
    if entries > MOST_ENTRIES:
        raise Unavailable(
            f"the script of ns-2 would have {entries} entries for {end_s:.3g} s; use a shorter "
            "duration"
        )
    late_s = scenario.handoffs.late_s if scenario.handoffs else None
    delays_acks = tcp.ack_every == 2
    given = {
        "seed": seed,
        "rate": path.rate_bps,
        "forward": path.forward_delay_s,
        "backward": path.backward_delay_s,
        "buffer": path.buffer_packets or UNLIMITED_BUFFER,
        "cross_bits": CROSS_TRAFFIC_BITS if capacity_as == "cross-traffic" else 0,
        "loss": losses.process,
        "probability": getattr(scenario.loss, "probability", 0.0),
        "before": int(losses.before),
        "agent": AGENTS[tcp.variant],
        "sink": "TCPSink" + "/Sack1" * (tcp.variant == "sack") + "/DelAck" * delays_acks,
        "delays_acks": int(delays_acks),
        "ack_delay": tcp.delayed_ack_timeout_s,
        "ssthresh": first_ssthresh(scenario),
        "hit": scenario.handoffs.packets if scenario.handoffs else 0,
        "late": -1 if late_s is None else late_s,
        "transfer": tcp.transfer_packets or 0,
        "begin": begin_s,
        "end": end_s,
    }
    lines = [
        f"# {scenario.id}: {end_s:.6g} s in ns-2.",
        "array set given " + _listed(_in_turn(given)),
        "set tcp_settings " + _listed(_tcp_settings(scenario)),
        "set newreno_settings " + _listed(_newreno_settings(scenario)),
        "set spikes " + _timetable(spikes.ravel(), ["block", "unblock"] * len(spikes)),
        "set capacity " + _timetable(times, rates.tolist()),
        f"set capacity_period {capacity.period_s if capacity else 0}",
        "set bad " + _timetable(losses.bad_s.ravel(), [1, 0] * len(losses.bad_s)),
        "set drops " + _listed(losses.drops.tolist()),
        "set handoffs " + _timetable(handoffs, ["{}"] * handoffs.size),
        "set delays " + _listed(scenario.handoffs.delay_steps_s if scenario.handoffs else []),
        "",
        files(__package__).joinpath("connection.tcl").read_text(encoding="utf-8"),
    ]
    within = int(np.count_nonzero(handoffs >= begin_s))
    period_s = capacity.period_s if capacity else 0.0
    text = "\n".join(lines)
    return Script(text, begin_s, end_s, entries, period_s, losses.covered, within, cross_packets)


@dataclass(frozen=True)
class _Losses:
    """The losses of a run, as variables of the script's fixed part (`connection.tcl`)."""

    process: str = "none"
    before: bool = False
    bad_s: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    drops: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    covered: float = math.inf


def _losses(scenario: Scenario, stream: np.random.Generator, end_s: float) -> _Losses:
    """Draw the times in which the channel loses packets, or the numbers of the lost packets.

    Independent losses are not drawn here: ns-2 draws them itself.
    """
    loss = scenario.loss
    before = loss.place == "before"
    if loss.impairment is None:
        return _Losses()
    if isinstance(loss, Bernoulli):
        return _Losses("independent", before)
    slots = end_s * scenario.rate_pps
    if loss.counts_slots:
        runs = path_schedule.bad_runs(loss, stream, slots)
        # Place the edges of slots between the times at which packets of a busy link leave.
        return _Losses("slots", before, np.maximum(runs - 0.5, 0) / scenario.rate_pps)
    covered = float(int(path_schedule.MOST_PER_CAPACITY * slots) + 1000)
    drops = path_schedule.packets_in(path_schedule.bad_runs(loss, stream, covered))
    return _Losses("packets" if drops.size else "none", before, drops=drops, covered=covered)


def first_ssthresh(scenario: Scenario) -> int:
    """Return the ssthresh of the first slow start in packets, which keeps it from overshooting.

    The first slow start of a finite transfer is practically unbounded.
    """
    if scenario.tcp.transfer_packets is not None:
        return LARGEST_WINDOW
    if repeats(scenario):
        return int(min(first_ssthresh_packets(scenario), LARGEST_WINDOW))
    return SMALLEST_SSTHRESH


def _tcp_settings(scenario: Scenario) -> list[str | float]:
    """Return the settings of ns-2's TCP agents: each setting's name followed by its value.

    The size of a packet includes its headers. There is no handshake.
    """
    tcp, rto = scenario.tcp, scenario.tcp.rto
    settings: dict[str, str | float] = {
        "packetSize_": tcp.mss_bytes + tcp.header_bytes,
        "useHeaders_": "false",
        "syn_": "false",
        "delay_growth_": "false",
        "timestamps_": "false",
        "overhead_": 0,
        "maxcwnd_": 0,
        "window_": tcp.max_window_packets or LARGEST_WINDOW,
        "windowInit_": tcp.initial_window_packets,
        "windowOption_": 1,
        "numdupacks_": tcp.dupthresh,
        "singledup_": int(tcp.limited_transmit),
        "noFastRetrans_": "true" if tcp.variant == "oldtahoe" else "false",
        "tcpTick_": rto.tick_s,
        "minrto_": rto.fixed_s or rto.min_s,
        "maxrto_": rto.fixed_s or rto.max_s,
        "rtxcur_init_": rto.fixed_s or rto.initial_s,
    }
    return _in_turn(settings)


def _newreno_settings(scenario: Scenario) -> list[str | float]:
    """Return ns-2's settings of NewReno's timer and window at partial ACKs, each name and value."""
    settings: dict[str, str | float] = {
        "newreno_changes_": 0,
        "newreno_changes1_": int(scenario.tcp.recovery == "impatient"),
        "partial_window_deflation_": int(scenario.tcp.partial_window_deflation == "deflated"),
    }
    return _in_turn(settings)


def _in_turn(settings: Mapping[str, str | float]) -> list[str | float]:
    """Return each name followed by its value, as Tcl's arrays and loops need them."""
    return [word for pair in settings.items() for word in pair]


def _timetable(times: np.ndarray, values: Iterable[str | float]) -> str:
    """Return a Tcl list with each time followed by its value."""
    pairs = zip(times.tolist(), values, strict=True)
    return _listed(word for pair in pairs for word in pair)


def _listed(words: Iterable[str | float]) -> str:
    """Return words as a Tcl list, with all digits of numbers."""
    return "{" + " ".join(map(str, words)) + "}"
