"""R-ARQ: a link that retransmits as a slower link with a longer round trip and a residual loss.

An attempt fails with probability e, and a frame has at most a attempts. Their mean number is m =
(1 - e^a)/(1 - e), and the share e^a of the packets is lost. So the link carries C/m packets/s, of
which e^a are lost, and what arrives is C (1 - e) for every a. An answer between these two rates,
which a cap by the rate of the link gives, becomes the second.

**Delay.** A failed attempt costs d: a packet time L, and the turnaround. As they come, packets are
late by (m - 1) d in the mean; so they are with a turnaround of 0, where the next packet waits. If
the far end keeps packets in order, a packet waits for those sent before it. The windows of a
sender without pacing reach the link as trains, at the link's own pace: the packet j places ahead
came j m L earlier. It is later than x with probability e^k for (k - 1) d ≤ x < k d, k < a. So a
packet is late by at most x with the probability F(x), the product over j ≥ 0 of the probabilities
that the packet j places ahead is late by at most x + j m L; and its mean delay is the integral of
1 - F(x) from 0 to (a - 1) d. It contains the m - 1 repetitions of a packet, which take (m - 1) L. A
model whose round trip has a transmission counts them as well, m L instead of L: R' is less by them.

**Bursts of errors** by a Gilbert-Elliott channel, with a turnaround of 0. Attempts follow each
other, so an attempt after a failed one fails with probability 1 - β, and one after a success with
α. A packet after a delivered one is lost with probability α (1 - β)^(a-1), and one after a lost
one with (1 - β)^a. So lost packets are again a Gilbert-Elliott channel, with a step per packet.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tcpgoodput.answers import Answer, Undefined
from tcpgoodput.models.reductions.answer import scaled, value_of
from tcpgoodput.models.reductions.catalogue import RETRANSMISSION
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.arq import Arq
from tcpgoodput.scenario.loss import Bernoulli, GilbertElliott, LossProcess, MarkovChannel
from tcpgoodput.scenario.physics import delivered_limit_pps, mean_capacity_bps
from tcpgoodput.scenario.vocabulary import Capacity, Trace

DELAYS = 512
"""Number of delays at which the distribution function of a packet's delay is evaluated."""

RACK_SHARE = 4
"""RACK waits for a quarter of the smallest round trip before an overtaken packet counts as lost
(RFC 8985, 6.2)."""


@dataclass(frozen=True)
class Attempts:
    """The attempts of a link that retransmits: their mean number, and the packets it loses."""

    mean: float
    lost: Bernoulli | GilbertElliott


@dataclass(frozen=True)
class Restated:
    """A scenario without a link that retransmits, and how it was made."""

    scenario: Scenario
    by: tuple[str, ...] = ()
    """Names of the reductions that made it; empty if it is the original scenario."""
    outside: str | None = None
    """Why the use of the reduction is out of domain, or None."""
    most_pps: float = math.inf
    """Rate in packets/s at which packets arrive behind a link that always sends."""

    def answer(self, answer: Answer | Exception) -> Answer | Exception:
        """Return a model's answer for the scenario as its answer for the original one.

        The rate of the link bounds many answers, but the packets that the link loses after their
        last attempt take a part of it. Such an answer becomes the rate at which packets arrive.
        """
        if isinstance(answer, Exception):
            return answer
        goodput = answer.goodput
        if self.most_pps < (value_pps := value_of(goodput)) <= self._link_pps:
            goodput = scaled(goodput, self.most_pps / value_pps)
        taken = (*self.by, *answer.reductions)
        outside = self.outside or answer.outside
        return replace(answer, goodput=goodput, reductions=taken, outside=outside)

    @property
    def _link_pps(self) -> float:
        return mean_capacity_bps(self.scenario) / self.scenario.packet_bits


def without_retransmission(scenario: Scenario, *, counts_transmission: bool = False) -> Restated:
    """Return a scenario whose link retransmits as one with a plain link (R-ARQ).

    A model that counts a packet's transmission (`Model.counts_transmission`) counts its attempts,
    m/C instead of 1/C. So the repetitions' own transmissions are then no part of the delay.
    """
    arq = scenario.arq
    assert arq is not None  # the reduction is used only for links that retransmit
    attempts = attempts_of(arq)
    if scenario.rate_pps / attempts.mean == 0:
        raise Undefined("the link's rate is too small to be divided by its attempts")
    packet_s = 1 / scenario.rate_pps
    delay_s = mean_delay_s(arq, attempts.mean, packet_s)
    if counts_transmission:
        # Not below 0, because the integral is a sum of finitely many terms.
        delay_s = max(0.0, delay_s - (attempts.mean - 1) * packet_s)
    path, handoffs = scenario.path, scenario.handoffs
    changes: dict[str, Any] = {
        "arq": None,
        "loss": _with_lost(scenario.loss, attempts.lost),
        "path": path.model_copy(
            update={
                "rate_bps": path.rate_bps / attempts.mean,
                "backward_delay_s": path.backward_delay_s + delay_s,
            }
        ),
    }
    if scenario.capacity is not None:
        changes["capacity"] = _slower(scenario.capacity, attempts.mean)
    if handoffs is not None and handoffs.delay_steps_s:
        steps_s = [step_s + delay_s for step_s in handoffs.delay_steps_s]
        changes["handoffs"] = handoffs.model_copy(update={"delay_steps_s": steps_s})
    outside = _outside_slots(arq) or _outside_reordering(scenario, arq)
    return Restated(
        scenario.model_copy(update=changes),
        (RETRANSMISSION,),
        outside,
        delivered_limit_pps(scenario),
    )


def attempts_of(arq: Arq) -> Attempts:
    """Return the mean number of attempts per packet on a busy link, and the packets it loses."""
    most, error = arq.attempts, arq.error
    if not isinstance(error, MarkovChannel):
        lost = error**most
        mean = (1 - lost) / (1 - error)
        return Attempts(mean, Bernoulli(process="bernoulli", probability=lost))
    if arq.turnaround_s > 0:
        raise Undefined(
            "no reduction describes bursts of errors (arq.error) if other packets are sent before "
            "a repetition (arq.turnaround_s)"
        )
    fails = 1 - error.bad_to_good
    # Exact also if a burst lasts almost for ever: 1 - (1 - β)^most without a difference.
    beta = -math.expm1(most * math.log1p(-error.bad_to_good)) if fails > 0 else 1.0
    alpha = error.good_to_bad * fails ** (most - 1)
    share = alpha / (alpha + beta)
    first_fails = (1 - share) * error.good_to_bad + share * fails
    mean = 1 + first_fails * math.fsum(fails**k for k in range(most - 1))
    bursts = GilbertElliott(
        process="gilbert-elliott", good_to_bad=alpha, bad_to_good=beta, clock="packet"
    )
    return Attempts(mean, bursts)


def mean_delay_s(arq: Arq, mean_attempts: float, packet_s: float) -> float:
    """Return the mean delay of a packet by failed attempts and, in order, by packets before it."""
    cost_s = arq.turnaround_s + packet_s
    if arq.turnaround_s == 0 or arq.delivery == "as-it-comes" or arq.attempts == 1:
        return (mean_attempts - 1) * cost_s
    assert isinstance(arq.error, float | int)  # bursts of errors have no turnaround
    longest_s = (arq.attempts - 1) * cost_s
    delays_s = longest_s * (np.arange(DELAYS) + 0.5) / DELAYS
    log_probability, before = np.zeros(DELAYS), np.zeros(DELAYS)
    for failures in range(1, arq.attempts):
        # Packets that could still be later than `delays_s` by fewer than so many failures.
        ahead = np.ceil((failures * cost_s - delays_s) / (mean_attempts * packet_s))
        ahead = np.maximum(ahead, 0.0)
        log_probability += (ahead - before) * math.log1p(-(arq.error**failures))
        before = ahead
    return float(longest_s * np.mean(-np.expm1(log_probability)))


def _with_lost(loss: LossProcess, lost: Bernoulli | GilbertElliott) -> LossProcess:
    """Return the losses of a scenario together with those of the link."""
    if loss.impairment is None:
        return lost.model_copy(update={"place": loss.place})
    if lost.impairment is None:
        return loss
    if isinstance(loss, Bernoulli) and isinstance(lost, Bernoulli):
        p = 1 - (1 - loss.probability) * (1 - lost.probability)
        return loss.model_copy(update={"probability": p})
    raise Undefined(
        f"no reduction restates {loss.impairment}, and what the link loses after its last attempt, "
        "as one loss process"
    )


def _slower(capacity: Capacity, factor: float) -> Capacity:
    """Return a capacity divided by a factor."""
    if isinstance(capacity, Trace):
        raise Undefined("no reduction restates a link that retransmits if its rate follows a trace")
    rates = {name: value / factor for name, value in capacity if name.endswith("_bps") and value}
    return capacity.model_copy(update=rates)


def _outside_slots(arq: Arq) -> str | None:
    """Return an explanation if pauses of the sender would separate the bad slots, else None."""
    if not isinstance(arq.error, MarkovChannel) or not arq.error.counts_slots:
        return None
    return (
        "errors change with the slots of the link, and the reduction takes each slot for an "
        "attempt, which only a link without pauses makes (arq.error.clock)"
    )


def _outside_reordering(scenario: Scenario, arq: Arq) -> str | None:
    """Return an explanation if the sender takes overtaken packets for lost ones, else None."""
    if arq.delivery == "in-order" or arq.turnaround_s == 0:
        return None
    tcp = scenario.tcp
    late_s = arq.turnaround_s + 1 / scenario.rate_pps
    if tcp.loss_detection == "rack":
        if late_s <= scenario.propagation_rtt_s / RACK_SHARE:
            return None
        return (
            f"a repeated frame is {late_s:.3g} s late, more than a quarter of the round trip, and "
            "RACK takes it for lost"
        )
    overtaken = arq.turnaround_s * scenario.rate_pps
    if overtaken < max(tcp.dupthresh, tcp.max_dupthresh or 0):
        return None
    return (
        f"a repeated frame is overtaken by up to {overtaken:.3g} packets, and the sender takes it "
        f"for lost after {tcp.dupthresh} duplicate ACKs"
    )
