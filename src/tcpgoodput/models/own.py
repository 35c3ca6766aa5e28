"""The user's own models: Python files that the settings or the command line name."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, refused

KEY = "models"
"""Key of the settings that lists the Python files, relative to the folder of the settings."""


def add_listed(files: Sequence[str], document: Document, changes: Collection[str]) -> None:
    """Register the models of the files that the settings list.

    Args:
        files: paths relative to the folder of the settings.
        document: the settings, as they were read.
        changes: keys of the settings that the command line overrides.

    Raises:
        ConfigurationError: a file does not exist, or registers no valid model.

    """
    if not files:
        return
    # Import here, so that settings without own models do not load this module.
    from tcpgoodput.models.outside import add_file

    problems: list[Problem] = []
    for position, file in enumerate(files):
        line = 0 if KEY in changes else document.line((KEY, position))
        place = "--config" if KEY in changes else document.file
        refusal = partial(refused, place, f"{KEY}[{position}]", line=line)
        try:
            add_file(Path(document.file).parent / file, refusal)
        except ConfigurationError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)


def add_own(settings: Path, files: Sequence[Path]) -> None:
    """Register the models of the files that the settings list, and those of further files.

    Other keys of the settings are not checked, so errors in them do not matter.

    Raises:
        ConfigurationError: a file does not exist, or registers no valid model.

    """
    # Search the text for the key first, because parsing it takes longer than a prediction.
    if settings.is_file() and re.search(rb"^models\s*:", settings.read_bytes(), re.MULTILINE):
        document = read(settings)
        listed = document.data.get(KEY, []) if isinstance(document.data, dict) else []
        if not isinstance(listed, list) or not all(isinstance(file, str) for file in listed):
            message = "must be a list of Python files"
            raise refused(settings, KEY, message, document.line((KEY,)))
        add_listed(listed, document, ())
    if files:
        from tcpgoodput.models.outside import add_file

        for file in files:
            add_file(file, partial(refused, "--models", ""))
