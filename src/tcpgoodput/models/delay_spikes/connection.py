"""The connection as the study sees it: R, C_max, and where its assumptions hold."""

from __future__ import annotations

from tcpgoodput.answers import Undefined
from tcpgoodput.models.losses import independent_loss
from tcpgoodput.scenario import Scenario

MAX_PRODUCT_PACKETS = 6.5
"""C_max R up to which a rate that grows by 1/R from 1 packet/s is near what TCP does (6.2 packets
is the largest of the study's own links)."""

MAX_LOSS = 0.05
"""The study calls its own accuracy good up to here (abstract, section 4.1)."""

FEWEST_ROUND_TRIPS = 10
"""Between two spikes, where packet simulation has found the models within about 15 %."""

LONGEST_TIMEOUT_RTTS = 8
"""With loss; above, the timeouts that (5) counts are too many to be right."""


def round_trip_s(scenario: Scenario) -> float:
    """Return R: propagation both ways and one packet's transmission time (section 4.1)."""
    return scenario.propagation_rtt_s + 1 / scenario.rate_pps


def product_packets(scenario: Scenario) -> float:
    """Return C_max R, the bandwidth-delay product."""
    return scenario.rate_pps * round_trip_s(scenario)


def loss_probability(scenario: Scenario) -> float:
    """Return p > 0 of independent loss.

    Raises:
        Undefined: there is no loss, so that no congestion cycle ends.
    """
    p = independent_loss(scenario)
    if p == 0:
        raise Undefined("congestion cycles of 1/p packets need loss, p > 0")
    return p


def check_rate(scenario: Scenario) -> None:
    """Refuse a path that carries less than the rate the study's slow start begins with.

    Raises:
        Undefined: C_max < 1 packet/s.
    """
    if scenario.rate_pps < 1:
        raise Undefined(
            f"slow start begins with 1 packet/s, the path carries {scenario.rate_pps:.3g}"
        )


def outside_link(scenario: Scenario, peak_packets: float) -> str | None:
    """Return which assumption about the link a scenario breaks, or None.

    C_max is the path's rate, as in the study, whose window is the bandwidth-delay product in
    whole packets. A window a packet or more below what the model's rate needs is a limit that the
    model does not see.

    Args:
        scenario: The scenario.
        peak_packets: C_max R, or the largest window (rate × R) that the model's cycles reach.
    """
    tcp, path = scenario.tcp, scenario.path
    window, product = tcp.max_window_packets, product_packets(scenario)
    if tcp.ack_every > 1:
        return f"the study has one ACK per packet, not per {tcp.ack_every}"
    if window is not None and window <= peak_packets - 1:
        return f"the receiver window ({window} packets) stops the rate below the path's"
    room = product + (path.buffer_packets or 0)
    full = peak_packets >= product
    if full and path.buffer_packets is not None and (window is None or window > room):
        return "the buffer overflows, which the study leaves out"
    return None


def outside_rate_growth(scenario: Scenario) -> str | None:
    """Return a reason where C_max R is too large for rates that grow by 1/R from 1 packet/s."""
    product = product_packets(scenario)
    if product >= MAX_PRODUCT_PACKETS:
        return (
            f"a rate that grows by 1/R packets/s from 1 packet/s is too slow for "
            f"C_max R = {product:.3g} packets ({MAX_PRODUCT_PACKETS:g} at most)"
        )
    return None


def outside_loss(scenario: Scenario, most: float = MAX_LOSS) -> str | None:
    """Return a reason where the saw-tooth or the loss is not the study's."""
    if scenario.tcp.variant in ("oldtahoe", "tahoe", "cubic"):
        return f"{scenario.tcp.variant} does not halve its window and go on"
    if loss_probability(scenario) > most:
        return f"above {100 * most:g} % loss the share of timeouts (5) is not TCP's"
    return None


def outside_timeouts(scenario: Scenario) -> str | None:
    """Return a reason where a timeout is long, so that the number of timeouts decides."""
    if scenario.timeout_s <= LONGEST_TIMEOUT_RTTS * round_trip_s(scenario):
        return None
    return f"a timeout above {LONGEST_TIMEOUT_RTTS} round trips: (5) counts too many of them"


def outside_pauses(scenario: Scenario) -> str | None:
    """Return a reason where spikes leave hardly a slow start's time between them."""
    if scenario.spikes is None:
        return None
    between_s = scenario.spikes.interval.mean_s - scenario.spikes.duration.mean_s
    if between_s >= FEWEST_ROUND_TRIPS * round_trip_s(scenario):
        return None
    return (
        f"spikes leave fewer than {FEWEST_ROUND_TRIPS} round trips between them on average, and "
        "what the queue held back counts"
    )


def outside_spikes(scenario: Scenario) -> str | None:
    """Return a reason where a spike ends before it causes a timeout and with it a slow start."""
    spikes = scenario.spikes
    if spikes is not None and spikes.duration.mean_s <= scenario.timeout_s:
        return (
            f"spikes of {spikes.duration.mean_s:.3g} s end before the timeout "
            f"({scenario.timeout_s:.3g} s), so no slow start follows"
        )
    return None
