"""Writing results so that a file under its final name is always whole; telling files apart."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any


def as_json(content: Any) -> str:
    """Return content as the JSON text of a results' file."""
    return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def as_lines(content: Any) -> str:
    """Return content as JSON with an entry in each line, so that a change in it can be seen."""
    if isinstance(content, dict):
        lines = [f"{_compact(key)}: {_compact(part)}" for key, part in content.items()]
        return "{\n" + ",\n".join(lines) + "\n}\n"
    return "[\n" + ",\n".join(map(_compact, content)) + "\n]\n"


def _compact(content: Any) -> str:
    return json.dumps(content, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def digest_of_file(file: Path) -> str:
    """Return a digest of a file's content, by which jobs know whether it is the one they read."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def write_text(path: Path | str, text: str) -> None:
    """Write a text file at once: to a temporary name, flushed to disk, renamed."""
    write_bytes(path, text.encode())


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write a file at once; see `write_text`.

    Raises:
        OSError: it cannot be written, with its name, which a full disk does not tell.

    """
    path = Path(path)
    try:
        _write_bytes(path, content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _write_bytes(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
