"""Conditions of the domains of several models, whose equations leave out bursts, queues, timeouts.

The fitted limits were found by comparison with packet simulation of about a thousand random
connections. Beyond these limits a model's goodput is often wrong by a third or more, even if all
other assumptions hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tcpgoodput.answers import Conditions
from tcpgoodput.models.base import Basis, Check, Condition
from tcpgoodput.models.losses import independent_loss, peak_window_packets
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share
from tcpgoodput.scenario.vocabulary import Square

OfScenario = Callable[[Scenario], float]
"""Function that returns a quantity of a scenario, such as a model's largest window in packets."""

CRITERION = "beyond it errors of a third and more become common on random connections"
"""Criterion by which the limits of this module and most other fitted limits were chosen."""

DUPLICATE_ACKS = 3
"""Number of duplicate ACKs that trigger fast retransmit in every model (RFC 5681)."""

BURST_ROOM = 2
"""Largest buffer, in multiples of the packets per ACK, that is too small for the burst that an ACK
releases. Fitted: chosen by `CRITERION`."""

ACKS_PER_WINDOW = 4
"""Smallest number of ACKs per window at which the delay of the window's last ACK hardly changes the
goodput. Fitted: chosen by `CRITERION`."""

FILLED = 0.75
"""Largest window, in bandwidth-delay products, that causes no significant bottleneck queue. Fitted:
chosen by `CRITERION`."""


TIMEOUTS, HITS = 4, 1.5
"""TIMEOUTS: smallest interval between hand-offs, in units of the timeout. HITS: the window must
exceed HITS times the packets that a hand-off affects, plus the duplicate ACKs for fast retransmit.
Beyond these limits one timeout often leads to the next. Both are fitted: chosen by `CRITERION`."""


DEEPEST = 150
"""Largest ratio of a square wave's two rates at which the fluid is known to hold although the lower
one serves no packet while the timer runs: that of the random sample, where its median error on 135
such connections is 1.7 %."""


def standstill(scenario: Scenario) -> str | None:
    """Return an explanation if a square wave stops for longer than the timer runs, or None.

    The timer ends if no packet is served for its duration less a round trip, in which ACKs still
    arrive. A sinusoid, whose round trip grows before it stops, has no such timeouts in simulation.
    """
    capacity = scenario.capacity
    if not isinstance(capacity, Square) or capacity.max_bps <= DEEPEST * capacity.min_bps:
        return None
    stop_s = 0.5 / capacity.frequency_hz
    if capacity.min_bps:
        stop_s = min(stop_s, scenario.packet_bits / capacity.min_bps)
    if stop_s + scenario.propagation_rtt_s <= scenario.timeout_s:
        return None
    return (
        f"the link serves no packet for {stop_s:.3g} s in each period, in which the timer of "
        f"{scenario.timeout_s:.3g} s ends; the fluid has no such timeouts"
    )


TAHOE = ("oldtahoe", "tahoe")
"""TCP variants without fast recovery."""

NOT_LINEAR = {"cubic": "CUBIC", "bbr": "BBR"}
"""TCP variants whose window does not grow by a packet per round trip, with their names in texts."""

THREE_DUPLICATE_ACKS = Condition(
    f"fast retransmit after {DUPLICATE_ACKS} duplicate ACKs",
    "derivation",
    "the model's sender is that of RFC 5681; with another number a sender times out more often or "
    "less often",
    lambda s, _: (
        s.tcp.dupthresh != DUPLICATE_ACKS
        and f"the sender's fast retransmit needs {s.tcp.dupthresh} duplicate ACKs "
        f"(tcp.dupthresh), the model's {DUPLICATE_ACKS}"
    ),
)

ROOM_FOR_BURSTS = Condition(
    f"a buffer of more than {BURST_ROOM} b packets, b being the packets per ACK",
    "fitted",
    CRITERION,
    lambda s, _: (
        (s.path.buffer_packets or math.inf) <= BURST_ROOM * s.tcp.ack_every
        and f"the buffer (path.buffer_packets: {s.path.buffer_packets}) is too small for the "
        f"bursts of {s.tcp.ack_every + 1} packets that ACKs release"
    ),
)


def _late_last_ack(scenario: Scenario, _: Conditions) -> str | None:
    b, window = scenario.tcp.ack_every, scenario.tcp.max_window_packets or math.inf
    if b == 1:
        return None
    if (p := independent_loss(scenario)) > 0:
        window = min(window, peak_window_packets(p, scenario.tcp.packets_per_increment))
    if window >= ACKS_PER_WINDOW * b:
        return None
    return (
        f"the window is small ({window:.3g} packets): the delayed-ACK timer often delays its last "
        "ACK"
    )


PROMPT_ACKS = Condition(
    f"an ACK for each packet, or a window of at least {ACKS_PER_WINDOW} ACKs",
    "fitted",
    CRITERION,
    _late_last_ack,
)

CONSTANT_DELAY = Condition(
    "hand-offs that do not change the round-trip time",
    "derivation",
    "the model's equations have only one round-trip time",
    lambda s, _: (
        s.handoffs is not None
        and bool(s.handoffs.delay_steps_s)
        and "the hand-offs change the round-trip time (handoffs.delay_steps_s), which the model "
        "assumes constant"
    ),
)

NO_UNDO = Condition(
    "a sender that does not undo its window reduction for late packets",
    "assumption",
    "section III-B: after a false fast retransmit the window stays at half",
    lambda s, _: (
        s.handoffs is not None
        and s.handoffs.fate == "late"
        and (s.tcp.timestamps or s.tcp.dsack)
        and "the sender undoes a window reduction if time stamps or D-SACK show that packets were "
        "only late"
    ),
)
"""Condition of the hand-off study, to whose sections the reason refers."""

FAR_HANDOFFS = Condition(
    f"at least {TIMEOUTS} timeouts between hand-offs",
    "fitted",
    CRITERION,
    lambda s, _: (
        s.handoffs is not None
        and s.handoffs.interval_s < TIMEOUTS * s.timeout_s
        and f"hand-offs are {s.handoffs.interval_s:.3g} s apart, less than {TIMEOUTS} timeouts of "
        f"{s.timeout_s:.3g} s: one timeout may lead to the next"
    ),
)


def surviving_window(window_packets: OfScenario) -> Condition:
    """Return the condition that enough duplicate ACKs for fast retransmit survive a hand-off.

    `window_packets` returns the window before a hand-off.
    """

    def fails(scenario: Scenario, _: Conditions) -> str | None:
        hits, window = scenario.handoffs, window_packets(scenario)
        if hits is None or window > HITS * hits.packets + scenario.tcp.dupthresh:
            return None
        return (
            f"each hand-off affects {hits.packets} packets of a window of {window:.3g}: too few "
            "duplicate ACKs may arrive for fast retransmit"
        )

    return Condition(
        f"a window of more than {HITS} times the packets that a hand-off affects, plus the "
        "duplicate ACKs for fast retransmit",
        "fitted",
        CRITERION,
        fails,
    )


def overtaking(window_packets: OfScenario) -> Condition:
    """Return the condition that enough packets overtake the late ones for fast retransmit.

    `window_packets` returns the window before a hand-off. The reason refers to the hand-off study.
    """

    def fails(scenario: Scenario, _: Conditions) -> str | None:
        hits, rtt_s = scenario.handoffs, scenario.propagation_rtt_s
        if hits is None or hits.late_s is None:
            return None
        # Packets, late or not, that are sent while the first late packet is delayed.
        sent = hits.late_s * window_packets(scenario) / rtt_s
        if sent - (hits.packets - 1) >= scenario.tcp.dupthresh:
            return None
        return (
            f"fewer than {scenario.tcp.dupthresh} packets overtake the late ones, so no fast "
            "retransmit follows"
        )

    return Condition(
        "as many packets that overtake the late ones as fast retransmit needs duplicate ACKs",
        "assumption",
        "section III-B: three duplicate ACKs arrive before the ACKs of the delayed packets",
        fails,
    )


def rare_loss(
    most: float,
    because: str = CRITERION,
    basis: Basis = "fitted",
    *,
    lost: OfScenario = lost_share,
    effect: str = "timeouts matter, which the model leaves out",
) -> Condition:
    """Return the condition that at most a share `most` (0 to 1) of the packets is lost.

    `lost` returns the share that is lost, and `effect` tells users what a larger share causes.
    """
    return Condition(
        f"at most {100 * most:g} % of packets lost",
        basis,
        because,
        lambda s, _: (
            (share := lost(s)) > most
            and f"{100 * share:.3g} % of packets are lost; above {100 * most:g} % {effect}"
        ),
    )


def short_timeout(
    most_rtts: float,
    because: str = CRITERION,
    *,
    rtt_s: OfScenario = lambda s: s.propagation_rtt_s,
    effect: str = ", so that even rare timeouts matter",
) -> Condition:
    """Return the condition that a timeout lasts at most `most_rtts` round trips.

    `effect` of a longer timeout is the end of the reason that users see.
    """
    return Condition(
        f"a timeout of at most {most_rtts:g} round trips",
        "fitted",
        because,
        lambda s, _: (
            s.timeout_s > most_rtts * rtt_s(s)
            and f"the timeout of {s.timeout_s:.3g} s is above {most_rtts} round trips of "
            f"{rtt_s(s):.3g} s{effect}"
        ),
    )


def patient_recovery(recovery_rtts: OfScenario, basis: Basis, because: str) -> Condition:
    """Return the condition that no timeout occurs in the recovery of an impatient NewReno.

    For this sender (RFC 6582), only the first partial ACK restarts the RTO timer. It arrives a
    round trip after recovery begins.
    """

    def fails(scenario: Scenario, _: Conditions) -> str | None:
        if scenario.tcp.variant != "newreno" or scenario.tcp.recovery != "impatient":
            return None
        rtts, rtt_s = recovery_rtts(scenario), scenario.propagation_rtt_s
        timeout_s = scenario.timeout_s
        if (rtts - 1) * rtt_s < timeout_s:
            return None
        return (
            f"impatient NewReno times out: recovery takes {rtts:.3g} round trips of {rtt_s:.3g} s, "
            f"and the timeout is {timeout_s:.3g} s"
        )

    text = "if NewReno is impatient, a recovery shorter than the timeout"
    return Condition(text, basis, because, fails)


def no_variant(
    excluded: tuple[str, ...], text: str, basis: Basis, because: str, reason: str
) -> Condition:
    """Return the condition that the TCP variant is none of those excluded.

    Users see `reason` with the variant in place of `{variant}`, or its name in place of `{name}`.
    """

    def fails(scenario: Scenario, _: Conditions) -> str | None:
        variant = scenario.tcp.variant
        if variant not in excluded:
            return None
        return reason.format(variant=variant, name=NOT_LINEAR.get(variant, variant))

    return Condition(text, basis, because, fails)


NO_BBR = no_variant(
    ("bbr",),
    "no BBR",
    "derivation",
    "each ACK lets the window grow, until it holds what the path delivers",
    "BBR paces its packets at an estimated bandwidth; the model's sender follows the ACKs",
)

HALVE_AND_GROW = "halve its window at a loss and let it grow by a packet per round trip"


def reno_newreno_or_sack(because: str, action: str) -> Condition:
    """Return the condition that the sender is one of three; others do not do the `action`."""
    return no_variant(
        (*TAHOE, *NOT_LINEAR),
        "Reno, NewReno or SACK",
        "assumption",
        because,
        f"{{variant}} does not {action}",
    )


def saw_tooth_sender(basis: Basis, no_tahoe: str, linear: str) -> tuple[Condition, Condition]:
    """Return the conditions that a loss halves the window, which then grows linearly."""
    return (
        no_variant(
            TAHOE,
            "a sender with fast recovery, unlike Tahoe",
            basis,
            no_tahoe,
            "{variant} has no fast recovery: after a loss its window begins at one packet",
        ),
        no_variant(
            tuple(NOT_LINEAR),
            "neither CUBIC nor BBR",
            basis,
            linear,
            "{name}'s window does not halve and grow linearly, as the model assumes",
        ),
    )


def empty_queue(window_packets: OfScenario, *, is_limit: bool = True) -> Condition:
    """Return the condition that the window does not fill the path, which would cause a queue.

    `window_packets` returns the largest window that the model's sender usually reaches.
    """

    def fails(scenario: Scenario, _: Conditions) -> str | None:
        window = min(window_packets(scenario), scenario.tcp.max_window_packets or math.inf)
        product = scenario.rate_pps * scenario.propagation_rtt_s
        if window <= FILLED * product:
            return None
        return (
            f"the window grows to {window:.3g} packets, more than {100 * FILLED:g} % of what the "
            f"path holds ({product:.3g}): a queue lengthens the round trip"
        )

    text = f"a window of at most {100 * FILLED:g} % of the bandwidth-delay product"
    return Condition(text, "fitted", CRITERION, fails, is_limit)


def uncut_window(
    peak_packets: OfScenario,
    text: str = "a receiver window of at least the window at which a loss event ends the growth",
    basis: Basis = "derivation",
    because: str = "the saw-tooth of the model's equation reaches that window",
) -> tuple[Condition, Condition]:
    """Return the conditions that neither receiver window nor a queue limits the model's window.

    `peak_packets` returns the window to which it grows between losses; 0 without loss. The other
    arguments are those of the condition on the receiver window.
    """
    fails: Check = lambda s, _: (  # noqa: E731
        (window := s.tcp.max_window_packets) is not None
        and window < peak_packets(s)
        and f"the receiver window of {window} packets limits the window, which in the model grows "
        f"to {peak_packets(s):.3g}"
    )
    return Condition(text, basis, because, fails, is_limit=True), empty_queue(peak_packets)


def round_trip_s(scenario: Scenario) -> float:
    """Return the path's round trip: propagation both ways and one packet's transmission."""
    return scenario.propagation_rtt_s + 1 / scenario.rate_pps


def held_packets(scenario: Scenario) -> float:
    """Return the largest window that path and buffer hold, in packets; may be infinite."""
    buffer = scenario.path.buffer_packets or math.inf
    return scenario.rate_pps * scenario.propagation_rtt_s + buffer
