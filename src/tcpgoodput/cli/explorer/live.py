"""Content that `tcpgoodput explore` serves: the current project, or a single scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tcpgoodput.cli.explorer import library
from tcpgoodput.cli.explorer.page import looks, page, presets, scenarios_of
from tcpgoodput.cli.explorer.server import Explorer
from tcpgoodput.configuration import Document, refused
from tcpgoodput.project.run import Run
from tcpgoodput.project.settings import (
    DEFAULT_PATH,
    Configuration,
    load_configuration,
    style_at_hand,
)


def explorer(named: Document | None, model_files: Sequence[Path]) -> Explorer:
    """Return the content to serve.

    Args:
        named: the scenario to show first, in addition to those of the project.
        model_files: files with the user's own models, which are already registered.

    Raises:
        ConfigurationError: a scenario is invalid, or no scenario exists.

    """
    known = presets(named)
    if not known:
        message = "name a scenario's file, or start in the project's folder, which has some"
        raise refused("explore", "", message)
    first = next(iter(known))
    content = {
        "is_live": True,
        "has_project": DEFAULT_PATH.is_file(),
        "begin": first,
        "looks": looks(style_at_hand()),
        **scenarios_of(known),
    }
    return Explorer(known, page(content), _library, _files, model_files)


@cache
def _configuration() -> Configuration | None:
    return load_configuration(DEFAULT_PATH) if DEFAULT_PATH.is_file() else None


def _library() -> dict[str, Any]:
    configuration = _configuration()
    if configuration is None:
        return {"matrix": None, "claims": None, "figures": []}
    return library.library(configuration, Path(Run(None).results))


def _files() -> Mapping[str, Path]:
    configuration, run = _configuration(), Run(None)
    if configuration is None:
        return {}
    return library.files(configuration, Path(run.results), Path(run.figures))
