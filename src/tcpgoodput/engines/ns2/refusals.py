"""Senders of ns-2 by variant, and scenarios that ns-2.35 cannot run, with reasons."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tcpgoodput.engines.packet import out_of_reach
from tcpgoodput.scenario import Scenario

AGENTS = {
    "oldtahoe": "TCP",
    "tahoe": "TCP",
    "reno": "TCP/Reno",
    "newreno": "TCP/Newreno",
    "sack": "TCP/Sack1",
}


MOST_TICKS = 32_767
"""Largest round-trip time in ticks, a short integer in ns-2."""

SMALLEST_TIMEOUT_TICKS = 2

LARGEST_WINDOW = 100_000_000
"""Window in packets that is used in place of an unlimited one; ns-2 counts packets in 32 bits."""

STANDARD_DUPTHRESH = 3


def refusal(scenario: Scenario) -> str | None:
    """Return why ns-2 cannot run a scenario, or None."""
    return next(_refusals(scenario), None)


def _refusals(scenario: Scenario) -> Iterator[str]:
    tcp, rto = scenario.tcp, scenario.tcp.rto
    if tcp.variant == "cubic":
        yield "ns-2.35's CUBIC is a Linux kernel's of 2006, not RFC 9438"
    elif tcp.variant not in AGENTS:
        yield f"nobody has said which of ns-2's senders is {tcp.variant}: of the variants only " + (
            ", ".join(AGENTS)
        )
    if tcp.is_todays:
        yield "ns-2.35 is of 2011: it has none of the keys of today's senders"
    if tcp.ssthresh_from == "window":
        yield "ns-2 was tried as a sender that halves its flight: ssthresh_from must be flight"
    if tcp.delayed_ack == "adaptive":
        yield "ns-2's delayed ACKs do not adapt: delayed_ack must be fixed"
    if scenario.delay is not None:
        yield "ns-2's links keep their delay: no trace of it can be followed"
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
    if reason := out_of_reach(scenario):
        yield reason


def _longest_queue_s(scenario: Scenario) -> float:
    """Return the longest round trip at the path's rate in seconds, if its queue is bounded."""
    packets = min(
        scenario.path.buffer_packets or math.inf, scenario.tcp.max_window_packets or math.inf
    )
    queue_s = packets / scenario.rate_pps if packets < math.inf else 0.0
    return scenario.propagation_rtt_s + queue_s
