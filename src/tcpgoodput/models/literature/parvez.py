"""Model of Parvez, Mahanti and Williamson: NewReno's goodput if losses come in bursts.

We have seen only the abstract of the paper. The abstract names what the model builds on (the models
of Reno by Padhye et al.), what it adds (NewReno's fast recovery, its timeouts, two parameters of
loss) and what goodput depends on (the round trip and the losses). The equations below are derived
from this information, not copied from the paper. So the equations have no numbers.

**Losses.** A packet begins a loss event with probability p. Each of the W - 1 packets that follow
it in its window W is lost with probability q. So an event loses m = 1 + (W - 1) q packets. From one
event to the next, N = 1/p + W - 1 packets are sent, of which the share m/N is lost.

**Congestion avoidance** is that of Padhye et al.: from W/2 the window grows by 1/b in each round
trip, and it reaches W in the round trip in which the event begins. These bW/2 + 1 round trips send
3bW²/8 - bW/4 + W/2 packets.

**Fast recovery** repairs one packet in each round trip and lasts m round trips. The W - m packets
that arrive leave room for W/2 - m new packets in its first round trip. With each partial ACK, the
number of new packets per round trip then grows by one. In total fast recovery sends F = Σ max(0,
W/2 - m + k) new packets, k = 0, …, m - 1.

**Timeouts** end an event with probability Q: too few duplicate ACKs return, or a retransmission is
lost. Like any packet, a retransmission is lost with probability m/N. A timeout lasts T0 f/(1 -
m/N), where f by Padhye et al. accounts for doubled timeouts. A slow start to W/2 follows. This slow
start takes ln(W/2)/ln(1 + 1/b) round trips and sends m retransmissions and b (W/2 - 1) - m new
packets.

W solves N = 3bW²/8 - bW/4 + W/2 + (1 - Q) F + Q S with S = max(0, b (W/2 - 1) - m). All N packets
are delivered in the end. If W exceeds the receiver window, the receiver window takes the place of
W, and the remaining packets of N are sent in full windows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from tcpgoodput.answers import Conditions
from tcpgoodput.models.base import ACKS, REDUCIBLE, ROUND_TRIP, Condition, Model
from tcpgoodput.models.limits import (
    DUPLICATE_ACKS,
    PROMPT_ACKS,
    ROOM_FOR_BURSTS,
    THREE_DUPLICATE_ACKS,
    empty_queue,
    patient_recovery,
)
from tcpgoodput.models.literature.pftk import WINDOW_IN_PATH, backoff_factor, without_loss_pps
from tcpgoodput.models.losses import bursts_of, independent_loss, losses_per_event, slots_per_event
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario

REMEMBERED = 0.05
"""Largest correlation in the domain between the channel's states one round trip apart, chosen by
hand. The model assumes that a retransmission is lost with the same probability as any packet."""

MOST_LOSS = 0.1
"""Largest share of lost packets, or of bad slots, in the domain; beyond it the goodput is too high
by a third."""

SMALLEST_WINDOW = 2.0
"""Smallest window after a loss, in packets (RFC 5681)."""


RAREST = 1e-300
"""Smallest probability p that a packet begins a loss event, so that 1/p does not overflow."""

HALVINGS = 45
"""Number of bisections; they find the window to almost full precision between bounds W and 2 W."""

MOST_LOST = 1 - 2.0**-53
"""The largest floating-point number below 1; upper limit of the share of lost packets."""


class Losses(NamedTuple):
    """The model's two loss parameters p and q for a given window."""

    begins: float
    """p, probability that a packet begins a loss event, above 0."""
    follows: float
    """q, probability that a later packet of the same window is also lost."""


class Cycle(NamedTuple):
    """Mean numbers of packets between two loss events, if loss events begin at the window W."""

    window: float
    lost: float
    """m, number of packets lost in a loss event."""
    packets: float
    """N, number of new packets from one loss event to the next."""
    timeout: float
    """Q, probability that a loss event ends in a timeout."""
    sent: float
    """Number of new packets sent in the growth to W, in fast recovery and in slow start."""


def cycle_at(window: float, losses: Losses, b: int, limited_transmit: bool) -> Cycle:
    """Return the mean numbers between two loss events if these begin at a given window.

    Only at the window that solves the model, `packets` equals `sent`.
    """
    p, q = losses
    lost = 1 + (window - 1) * q
    packets = 1 / p + window - 1
    share = lost_part(lost, packets)
    timeout = 1 - fast_retransmit(window, q, share, limited_transmit) * (1 - share) ** lost
    avoidance = window * (3 * b * window / 8 - b / 4 + 1 / 2)
    slow_start = max(0.0, b * (window / 2 - 1) - lost)
    sent = avoidance + (1 - timeout) * recovery_packets(window, lost) + timeout * slow_start
    return Cycle(window, lost, packets, timeout, sent)


def lost_part(lost: float, packets: float) -> float:
    """Return the share of lost packets m/N, limited to below 1, because rounding can make it 1."""
    return min(lost / packets, MOST_LOST)


def recovery_packets(window: float, lost: float) -> float:
    """Return F = Σ max(0, W/2 - m + k) over k = 0, …, m - 1, in closed form for any real m."""
    first, last = window / 2 - lost, window / 2 - 1
    if last <= 0:
        return 0.0
    if first >= 0:
        return lost * (first + last) / 2
    return last * (last + 1) / 2


def fast_retransmit(window: float, q: float, share: float, limited_transmit: bool) -> float:
    """Return the probability that three duplicate ACKs arrive.

    Each of the W - 1 packets behind the first loss arrives with probability 1 - q and causes a
    duplicate ACK. For each of the first two, limited transmit (RFC 3042) sends a new packet, which
    is lost with the probability `share` of any packet. Between whole windows it is interpolated.
    """
    arrives = 1 - share
    enough = (0.0, arrives**2, 1 - share**2) if limited_transmit else (0.0, 0.0, 0.0)

    def of_whole(behind: float) -> float:
        few = [_chance(arrived, behind, q) for arrived in range(DUPLICATE_ACKS)]
        reached = sum(chance * part for chance, part in zip(few, enough, strict=True))
        return max(0.0, 1 - sum(few)) + reached

    behind = math.floor(window) - 1.0
    part = window - 1 - behind
    return (1 - part) * of_whole(behind) + part * of_whole(behind + 1)


def _chance(arrived: int, behind: float, q: float) -> float:
    """Return the probability that `arrived` of `behind` packets arrive, at loss probability q."""
    lost = behind - arrived
    if lost < 0 or (q == 0 and lost > 0) or (q == 1 and arrived > 0):
        return 0.0
    ways = sum(math.log((behind - i) / (i + 1)) for i in range(arrived))
    return math.exp(
        ways + (arrived * math.log1p(-q) if arrived else 0) + (lost * math.log(q) if lost else 0)
    )


def cycle(
    losses: Callable[[float], Losses], b: int, max_window: float | None, limited_transmit: bool
) -> Cycle:
    """Return the mean numbers between two loss events at the model's window W.

    From `SMALLEST_WINDOW` to the receiver window, it is the W at which `packets` equals `sent`.
    """

    def at(window: float) -> Cycle:
        return cycle_at(window, losses(window), b, limited_transmit)

    most = math.inf if max_window is None else max(1.0, float(max_window))
    low = high = min(SMALLEST_WINDOW, most)
    found = at(high)
    if found.sent >= found.packets:
        return found
    while found.sent < found.packets:
        if high >= most:
            return found
        low, high = high, min(2 * high, most)
        found = at(high)
    for _ in range(HALVINGS):
        middle = math.sqrt(low) * math.sqrt(high)
        found = at(middle)
        low, high = (middle, high) if found.sent < found.packets else (low, middle)
    return found


def goodput_pps(
    losses: Callable[[float], Losses],
    rtt_s: float,
    timeout_s: float,
    b: int = 1,
    max_window: float | None = None,
    *,
    limited_transmit: bool = True,
) -> float:
    """Return the goodput in packets/s: N packets over the mean time between two loss events.

    That time is R (bW/2 + 1 + V) + (1 - Q) m R + Q (T0 f/(1 - m/N) + R ln(W/2)/ln(1 + 1/b)). If the
    receiver window limits W, V = (N - sent)/W is the number of round trips with full windows.
    """
    found = cycle(losses, b, max_window, limited_transmit)
    w, share = found.window, lost_part(found.lost, found.packets)
    full = max(0.0, found.packets - found.sent) / w
    slow_start = math.log(max(1.0, w / 2)) / math.log1p(1 / b)
    backed_off = timeout_s * backoff_factor(share) / (1 - share)
    rtts = b * w / 2 + 1 + full + (1 - found.timeout) * found.lost + found.timeout * slow_start
    return found.packets / (rtts * rtt_s + found.timeout * backed_off)


def losses_of(scenario: Scenario) -> Callable[[float], Losses] | None:
    """Return a function from the window W to p and q; None if the scenario has no losses.

    Independent loss has q = p. A Gilbert-Elliott channel has 1/p = N(W) - W + 1 and q = (m(W) -
    1)/(W - 1), with N by `slots_per_event` and m by `losses_per_event`, if the packets of a window
    follow one another at the rate of the link.
    """
    if loss := bursts_of(scenario):
        alpha, beta = loss.good_to_bad, loss.bad_to_good

        def at(window: float) -> Losses:
            events = slots_per_event(alpha, beta, window)
            lost = losses_per_event(alpha, beta, window)
            follows = (lost - 1) / (window - 1) if window > 1 else 0.0
            return Losses(max(RAREST, 1 / max(1.0, events - window + 1)), min(1.0, follows))

        return at
    p = independent_loss(scenario)
    return (lambda _: Losses(max(p, RAREST), p)) if p > 0 else None


def _cycle_of(scenario: Scenario) -> Cycle | None:
    """Return the mean numbers between two loss events of a scenario; None without losses."""
    tcp, losses = scenario.tcp, losses_of(scenario)
    if losses is None:
        return None
    return cycle(losses, tcp.packets_per_increment, tcp.max_window_packets, tcp.limited_transmit)


def _remembers(scenario: Scenario, _: Conditions) -> str | None:
    """Return an explanation if bursts last so long that retransmissions are lost, else None."""
    if (channel := bursts_of(scenario)) is None:
        return None
    slots = scenario.rate_pps * scenario.propagation_rtt_s
    if abs(1 - channel.good_to_bad - channel.bad_to_good) ** slots <= REMEMBERED:
        return None
    return (
        f"bursts of loss last {1 / channel.bad_to_good:.3g} packet times, not short against a "
        f"round trip ({slots:.3g}): retransmissions are lost, too"
    )


@register
class Parvez(Model):
    """NewReno's goodput under loss events of several packets each."""

    name = "parvez"
    title = "Parvez et al."
    equation = (
        "X = N / [R (bW/2 + 1 + (1-Q) m + Q ln(W/2)/ln(1+1/b)) + Q T0 f/(1-m/N)], where N = 1/p + "
        "W - 1 = 3bW²/8 - bW/4 + W/2 + (1-Q) F + Q S gives W. p: probability that a packet begins "
        "a loss event; m: packets that a loss event loses of a window W; N: packets from event to "
        "event; F, S: packets of fast recovery and of slow start; Q: probability of a timeout; f: "
        "the doubling of timeouts; b: packets per ACK; R: round trip; T0: timeout."
    )
    source = "literature"
    citation = "parvez2010"
    inputs = (
        "tcp.max_window_packets",
        *ACKS,
        "tcp.limited_transmit",
        "tcp.rto",
        *ROUND_TRIP,
        "loss",
    )
    domain = (
        "NewReno of RFC 6582 that deflates its window at partial ACKs and whose timeout is longer "
        "than the recovery; independent loss, or bursts in time that end within a round trip; the "
        "window or the loss limits the goodput, not the path's rate"
    )
    conditions = (
        Condition(
            "NewReno",
            "assumption",
            "the abstract: the model describes NewReno",
            lambda s, _: (
                s.tcp.variant != "newreno"
                and f"{s.tcp.variant} does not retransmit one packet per round trip, as NewReno "
                "does"
            ),
        ),
        Condition(
            "no imitation of a kernel's TCP (`tcp.stack`)",
            "assumption",
            "the model's recovery is that of RFC 6582 alone; the condition was added after "
            "outliers were seen",
            lambda s, _: (
                s.tcp.is_todays
                and "the sender has features of newer TCPs (tcp.stack); the model's recovers by "
                "RFC 6582 alone"
            ),
        ),
        Condition(
            "a sender that deflates its window at a partial ACK",
            "derivation",
            "F counts a new packet after each partial ACK",
            lambda s, _: (
                s.tcp.partial_window_deflation != "deflated"
                and "a partial ACK does not deflate the window, so that it does not release one "
                "new packet, as F assumes"
            ),
        ),
        patient_recovery(
            lambda s: found.lost if (found := _cycle_of(s)) else 1.0,
            "derivation",
            "the m round trips of a recovery contain no timeout",
        ),
        Condition(
            "a channel that changes its state with time, also while the sender is idle",
            "derivation",
            "a retransmission is lost with the probability m/N of any packet, also after a timeout",
            lambda s, _: (
                (channel := bursts_of(s)) is not None
                and channel.clock == "packet"
                and "with loss.clock: packet the channel stays bad during a timeout, and the "
                "retransmission is lost, too"
            ),
        ),
        Condition(
            "channel states one round trip apart with a correlation of at most "
            f"{100 * REMEMBERED:g} %",
            "fitted",
            "a chosen tolerance: a retransmission should see the channel's mean loss probability",
            _remembers,
        ),
        Condition(
            f"at most {100 * MOST_LOSS:g} % of packets lost, or of slots bad",
            "fitted",
            "on a path of 20 Mbit/s and 60 ms the goodput is 1.1 times the simulated one at 10 % "
            "loss, 1.3 times at 15 %, and 6.6 times at 30 %",
            lambda s, _: (
                (p := channel.bad_share if (channel := bursts_of(s)) else independent_loss(s))
                > MOST_LOSS
                and f"{100 * p:.3g} % of packets are lost, or of slots bad; above "
                f"{100 * MOST_LOSS:g} % the formula is far above simulation"
            ),
        ),
        THREE_DUPLICATE_ACKS,
        PROMPT_ACKS,
        ROOM_FOR_BURSTS,
        empty_queue(lambda s: found.window if (found := _cycle_of(s)) else 0.0),
        WINDOW_IN_PATH,
    )
    handles = frozenset({"independent loss", "bursty loss"})
    reduces = REDUCIBLE - handles

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput in packets/s, with R the propagation round trip and T0 the timeout."""
        tcp, rtt_s = scenario.tcp, scenario.propagation_rtt_s
        losses = losses_of(scenario)
        if losses is None:
            return without_loss_pps(rtt_s, tcp.max_window_packets)
        return goodput_pps(
            losses,
            rtt_s,
            scenario.timeout_s,
            tcp.packets_per_increment,
            tcp.max_window_packets,
            limited_transmit=tcp.limited_transmit,
        )
