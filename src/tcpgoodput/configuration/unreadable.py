"""Messages about files that cannot be read, each with what to do."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from tcpgoodput.configuration.problems import nearest

MOST_NEIGHBOURS = 500
"""Most files of a folder among which a similar name is looked for; chosen by hand."""

TO_BEGIN = "tcpgoodput new prints a scenario to begin with"

EMPTY_YAML = f"is empty; a YAML file has keys with values, such as id: my-link ({TO_BEGIN})"

BINARY_YAML = (
    "is not UTF-8 text, but binary data: name a YAML file, which has keys with values, such as "
    "id: my-link"
)

EMPTY_RECORD = "is empty: repeat the measurement, and save its output to this file"
"""Message about an empty file where a measurement or a recording is expected."""


def link_to_nowhere(path: Path) -> str:
    """Return the end of the message about a link to no file; empty if the path is no link."""
    return f"; it is a link to {path.readlink()}: remove or correct it" if path.is_symlink() else ""


def no_such_file(path: Path | str) -> str:
    """Return the message about a file that does not exist: a similar name, or what to check."""
    path = Path(path)
    if broken := link_to_nowhere(path):
        return f"no such file{broken}"
    if not path.parent.is_dir():
        return f"no such file: there is no folder {path.parent} here; check the path"
    try:
        names = [entry.name for entry in islice(path.parent.iterdir(), MOST_NEIGHBOURS)]
    except OSError:
        names = []
    where = "this folder" if str(path.parent) == "." else str(path.parent)
    return f"no such file{nearest(path.name, names) or f' in {where}; check the name'}"


def cannot_be_read(path: Path | str, error: OSError) -> str:
    """Return the message about a file that the system does not let us read."""
    hint = f"; allow it by: chmod u+r {path}" if isinstance(error, PermissionError) else ""
    return f"cannot be read: {error.strerror or error}{hint}"


def no_mapping(found: object, *, is_whole: bool = True) -> str:
    """Return the message about YAML that has something else than keys with values.

    Args:
        found: the data in place of keys with values.
        is_whole: whether they are the whole file, not a part of it.

    """
    match found:
        case None:
            kind = "has no keys"
        case list():
            kind = "is a list"
        case _:
            kind = "is a single value"
    message = f"{kind}, but must be a mapping of keys: a line KEY: VALUE for each"
    return f"{message} ({TO_BEGIN})" if is_whole else message
