"""Models of the user's own: the Python files that settings and command line name."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, refused

KEY = "models"
"""Of the settings: the files, beside the file of settings."""


def add_listed(files: Sequence[str], document: Document, changes: Collection[str]) -> None:
    """Make known the models of the files that the settings list.

    Args:
        files: paths from the folder of the settings on.
        document: the settings, as they were read.
        changes: keys that the command line gives instead.

    Raises:
        ConfigurationError: a file is not there, or it registers no sound model.

    """
    if not files:
        return
    # Whoever has no models of their own does without loading all others.
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
    """Make known the models of the settings, if there are any, and those of some more files.

    Nothing else of the settings is read: what asks models alone works whatever else stands there.

    Raises:
        ConfigurationError: a file is not there, or it registers no sound model.

    """
    # Most settings name none: then they are not parsed, which costs more than a model's answer.
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
