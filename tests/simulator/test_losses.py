"""The Gilbert-Elliott losses have the Markov chain's probabilities, also for distant packets."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from tcpgoodput.simulator.arrays import new_arrays
from tcpgoodput.simulator.channel.losses import is_lost
from tcpgoodput.simulator.channel.state import new_channel
from tests.scenarios import scenario

NO_ARRAYS = new_arrays(np.empty(0), [], {}, 0)


@njit
def losses(channel, arrays, every, count, stream):  # type: ignore[no-untyped-def]
    """Return which of `count` packets, `every` ticks apart, are lost; compiled, to save time."""
    lost = np.zeros(count, np.bool_)
    for i in range(count):
        lost[i] = is_lost(channel, arrays, i * every, stream)
    return lost


@pytest.mark.parametrize(("alpha", "beta"), [(0.02, 0.3), (0.3, 0.05), (0.6, 0.7), (1.0, 0.4)])
@pytest.mark.parametrize("apart", [1, 3, 40, 400])
def test_distant_states_have_the_correlation_of_the_chain(
    alpha: float, beta: float, apart: int
) -> None:
    one = scenario(loss={"process": "gilbert-elliott", "good_to_bad": alpha, "bad_to_good": beta})
    stream = np.random.default_rng(7)
    channel = new_channel(one, stream, phase=None)[0]
    lost = losses(channel, NO_ARRAYS, apart * int(channel.packet_time), 20_000, stream)
    step = np.array([[1 - alpha, alpha], [beta, 1 - beta]])
    after = np.linalg.matrix_power(step, apart)
    for state in (0, 1):
        following = lost[1:][lost[:-1] == state]
        expected = after[state, 1]
        deviation = np.sqrt(max(expected * (1 - expected), 1e-12) / following.size)
        assert abs(following.mean() - expected) < 4.5 * deviation


@pytest.mark.parametrize("slot", [1, 4, 20])
def test_a_connection_begins_in_the_chains_own_law(slot: int) -> None:
    alpha, beta, count = 0.02, 0.06, 3000
    one = scenario(loss={"process": "gilbert-elliott", "good_to_bad": alpha, "bad_to_good": beta})
    lost = 0
    for seed in range(count):
        stream = np.random.default_rng(seed)
        channel = new_channel(one, stream, phase=None)[0]
        at = slot * int(channel.packet_time)
        lost += bool(is_lost(channel, NO_ARRAYS, at, stream))
    share = alpha / (alpha + beta)
    assert abs(lost / count - share) < 4.5 * np.sqrt(share * (1 - share) / count)
