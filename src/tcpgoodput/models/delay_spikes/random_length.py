"""Renewal models of delay spikes, averaged over the spikes' random durations (section 3.2)."""

from __future__ import annotations

import numpy as np

from tcpgoodput.answers import Conditions
from tcpgoodput.models.delay_spikes.connection import check_rate, max_rate_pps
from tcpgoodput.models.delay_spikes.laws import mean_excess, mean_over, scales
from tcpgoodput.models.delay_spikes.lossless import Lossless, mean_packets, rise_s
from tcpgoodput.models.delay_spikes.lossy import Lossy
from tcpgoodput.models.limits import round_trip_s
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.distributions import longest_s, shortest_s
from tcpgoodput.scenario.vocabulary import Spikes


def _kinks(spikes: Spikes) -> np.ndarray:
    """Return spike durations in seconds at which `mean_excess` may have a kink, for `mean_over`."""
    least = shortest_s(spikes.duration)
    inner = scales(spikes.interval, min(longest_s(spikes.duration), spikes.interval.mean_s * 1e6))
    return np.concatenate([inner, least + inner])


@register
class LosslessRandomLength(Lossless):
    """The delay-spike model without loss, averaged over spike durations (section 3.2)."""

    name = "delay_spikes.lossless_random_length"
    title = "Renewal, random lengths"
    equation = (
        "X = E(A)/E(T) as for delay_spikes.lossless, but also averaged over the distribution of "
        "the spikes' durations. A: packets between two spikes; T: interval between spikes."
    )
    domain = "as delay_spikes.lossless"

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput E(A)/E(T) in packets/s, with E(A) by eq. (6) as in section 3.2.

        An interval that is shorter than its spike counts as 0 packets.
        """
        check_rate(scenario)
        spikes, rtt_s, most_pps = scenario.spikes, round_trip_s(scenario), max_rate_pps(scenario)
        if spikes is None:
            return most_pps
        kinks = _kinks(spikes)
        reward = mean_over(
            spikes.duration,
            lambda silence_s: mean_packets(spikes.interval, silence_s, rtt_s, most_pps),
            np.concatenate([kinks, kinks - rise_s(rtt_s, most_pps)]),
        )
        return reward / spikes.interval.mean_s


@register
class LossyRandomLength(Lossy):
    """The delay-spike model with loss (Wald), averaged over spike durations (section 3.2)."""

    name = "delay_spikes.lossy_random_length"
    title = "Renewal, lossy, random lengths"
    equation = (
        "X = E(T')/(p E(Y) E(T)) as for delay_spikes.lossy, but with T' also averaged over the "
        "distribution of the spikes' durations. T: interval between spikes; T': T minus the "
        "spike's duration, at least 0; E(Y): mean duration of a cycle of 1/p packets; p: "
        "probability of loss."
    )
    domain = "as delay_spikes.lossy"
    # Further reductions would widen the domain, which was fixed before the connections that
    # validate it were drawn (data/domains.json).
    reduces = frozenset({"link retransmission"})

    def sending_s(self, spikes: Spikes) -> float:
        """Return E(T − SD)⁺ in seconds, averaged over intervals T and durations SD of spikes."""
        interval = spikes.interval
        return mean_over(spikes.duration, lambda d: mean_excess(interval, d), _kinks(spikes))
