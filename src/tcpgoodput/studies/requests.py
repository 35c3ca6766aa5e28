"""Requests as jobs read them: nothing is checked a second time, and no configuration is read."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.schema import Figure

PACKAGE = __name__.partition(".")[0]

_FIGURE: TypeAdapter[Figure] = TypeAdapter(Figure)


def figure_of(record: Mapping[str, Any]) -> Figure:
    """Return the figure of a request."""
    return _FIGURE.validate_python(record["figure"])


def load_code_of(record: Mapping[str, Any]) -> None:
    """Import the modules of the project that a request names, which register what it asks for."""
    for module in record["code"]:
        if module.startswith(f"{PACKAGE}."):
            importlib.import_module(module)


def scenarios_in(record: Mapping[str, Any]) -> dict[str, Scenario]:
    """Return the scenarios of a request, by id."""
    return {name: Scenario.model_validate(s) for name, s in record["scenarios"].items()}
