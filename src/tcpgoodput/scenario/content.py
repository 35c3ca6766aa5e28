"""Content of a scenario without its id and title, and the random numbers that depend on it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
from pydantic import BaseModel

from tcpgoodput.scenario.types import Part
from tcpgoodput.scenario.vocabulary import Scenario


def content_of(scenario: Scenario) -> str:
    """Return a scenario's content as text, without id and title.

    A key that was added to the vocabulary later is included only if it changes the earlier
    behaviour. So earlier measurements keep their keys.
    """
    return scenario.model_dump_json(exclude={"id": True, "title": True, **_unsaid(scenario)})


PATH_OF_TCP = ("mss_bytes", "header_bytes", "max_window_packets", "ack_every", "transfer_packets")
"""Keys of `tcp` that describe packets and receiver, and so belong to the path, not the sender."""


def path_content_of(scenario: Scenario) -> str:
    """Return a scenario's content as text, without the keys of `tcp` that describe the sender."""
    sender = dict.fromkeys(type(scenario.tcp).model_fields.keys() - set(PATH_OF_TCP), True)
    unsaid = {key: value for key, value in _unsaid(scenario).items() if key != "tcp"}
    return scenario.model_dump_json(exclude={"id": True, "title": True, **unsaid, "tcp": sender})


def _unsaid(part: BaseModel) -> dict[str, Any]:
    """Return the keys of `JOINED_LATER` whose values leave the earlier behaviour unchanged.

    The form is that of pydantic's argument `exclude`.
    """
    unsaid: dict[str, Any] = {}
    for name in type(part).model_fields:
        value = getattr(part, name)
        joined_later = isinstance(part, Part) and name in part.JOINED_LATER
        if joined_later and value == part.value_before(name):
            unsaid[name] = True
        elif isinstance(value, BaseModel) and (within := _unsaid(value)):
            unsaid[name] = within
    return unsaid


def random_stream(scenario: Scenario, seed: int, replication: int) -> np.random.Generator:
    """Return the random generator of one replication of a scenario.

    The generator depends on the scenario's content (not its id or title), the configured seed and
    the replication's number. So adding or reordering scenarios does not change the random numbers
    of other scenarios.
    """
    return random_streams(scenario, seed)(replication)


def random_streams(scenario: Scenario, seed: int) -> Callable[[int], np.random.Generator]:
    """Return a function from a replication's number to its generator; see `random_stream`."""
    # compute the content once, because this takes as long as a short replication
    content = content_of(scenario)

    def stream(replication: int) -> np.random.Generator:
        key = hashlib.sha256(f"{seed}/{replication}/{content}".encode()).digest()
        return np.random.Generator(np.random.PCG64(int.from_bytes(key, "big")))

    return stream
