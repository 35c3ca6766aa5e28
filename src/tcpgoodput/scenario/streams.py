"""Random numbers keyed by what is simulated, never by position or worker."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np

from tcpgoodput.scenario.content import content_of
from tcpgoodput.scenario.vocabulary import Scenario


def random_stream(scenario: Scenario, seed: int, replication: int) -> np.random.Generator:
    """Return the generator of one replication of a scenario.

    The key is the scenario's content (not its id or title), the configured seed and the
    replication's number: adding or reordering scenarios changes no other stream.
    """
    return random_streams(scenario, seed)(replication)


def random_streams(scenario: Scenario, seed: int) -> Callable[[int], np.random.Generator]:
    """Return what gives each replication of a scenario its generator; see `random_stream`."""
    content = content_of(scenario)  # once: for short replications it takes as long as they do

    def stream(replication: int) -> np.random.Generator:
        key = hashlib.sha256(f"{seed}/{replication}/{content}".encode()).digest()
        return np.random.Generator(np.random.PCG64(int.from_bytes(key, "big")))

    return stream
