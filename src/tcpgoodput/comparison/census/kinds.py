"""The kind of connections of a random sample to which a scenario belongs: its impairments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tcpgoodput.comparison.census.space import JOINED, UNIMPAIRED
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import impairments

FORMULA = "="
"""Prefix of an expression in a census file, such as `= rtt / 2`. It uses drawn quantities."""


def kind_of(scenario: Scenario, census: Mapping[str, Any]) -> str | None:
    """Return the kind of connections of a census to which a scenario belongs.

    Args:
        scenario: any scenario.
        census: the settings of the census; see `Census`.

    Returns:
        The name of the kind, or None if the census lacks the scenario's impairments.

    """
    parts = census["impairments"]
    found = [name for name, part in parts.items() if _has(scenario, part)]
    if len(found) != len(impairments(scenario)):
        return None
    return JOINED.join(found) or UNIMPAIRED


def words_for(kind: str) -> str:
    """Return the name of a kind of connections as a phrase, such as `late hand-offs`."""
    if kind == UNIMPAIRED:
        return "no impairment"
    return kind.replace("_", " ").replace("handoffs", "hand-offs")


def _has(scenario: Scenario, part: Mapping[str, Any]) -> bool:
    """Whether a scenario has an impairment of a census, with no key that the census leaves out."""
    whole = scenario.model_dump(mode="json")
    stated = scenario.model_dump(mode="json", exclude_defaults=True)
    choices = {key: law["values"] for key, law in part["draw"].items() if "values" in law}
    for key, value in part["set"].items():
        if not _fits(_at(whole, key), value, key, choices):
            return False
        if _leaves(_at(stated, key)) - _leaves(value):
            return False
    return True


def _fits(own: Any, drawn: Any, key: str, choices: Mapping[str, list[Any]]) -> bool:
    if isinstance(drawn, Mapping):
        return isinstance(own, Mapping) and all(
            _fits(own.get(name), value, f"{key}.{name}", choices) for name, value in drawn.items()
        )
    if isinstance(drawn, str) and drawn.startswith(FORMULA):
        return bool(own)  # null or 0: the scenario lacks the impairment
    return own in choices.get(key, [drawn])


def _at(data: Any, key: str) -> Any:
    for name in key.split("."):
        data = data.get(name) if isinstance(data, Mapping) else None
    return data


def _leaves(data: Any, key: str = "") -> set[str]:
    """Return the keys of all values of a nested dict."""
    if not isinstance(data, Mapping):
        return {key}
    return {leaf for name, value in data.items() for leaf in _leaves(value, f"{key}.{name}")}
