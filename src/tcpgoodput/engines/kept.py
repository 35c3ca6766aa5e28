"""Tables of measurements that a run can go on with: of the same code, and as they were written.

What a stopped run, a full disk or a disk's fault has left of a table may still read as one, with a
number cut short. So a file beside it has the digests of what was written under each name, noted
before it gets the name; the one before stays, for a run that is killed in between.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from tcpgoodput.engines.measurements import Measured, measurements_csv, read_measurements
from tcpgoodput.storage.files import as_json, write_text


class Kept:
    """Tables of one study, and the note beside them."""

    def __init__(self, note: Path, code: str) -> None:
        """Read the note.

        Args:
            note: which code has measured, and the digests of what it has written.
            code: which measures now; tables of other code are not gone on with.

        """
        self._note = note
        self._code = _digest(code.encode())
        self._digests = self._noted()

    def read(self, *tables: Path) -> dict[str, Measured]:
        """Return what the tables hold that are there, and whole; later ones win."""
        return read_measurements(*filter(self._is_whole, tables))

    def write(self, rows: Iterable[Measured], table: Path) -> None:
        """Write a table, and note what it is."""
        text = measurements_csv(rows)
        before = self._digests.get(table.name, [])[-1:]
        self._digests[table.name] = [*before, _digest(text.encode())]
        write_text(self._note, as_json({"code": self._code, "written": self._digests}))
        write_text(table, text)

    def _is_whole(self, table: Path) -> bool:
        noted = self._digests.get(table.name, ())
        return table.is_file() and _digest(table.read_bytes()) in noted

    def _noted(self) -> dict[str, list[str]]:
        try:
            told = json.loads(self._note.read_bytes())
            return dict(told["written"]) if told["code"] == self._code else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
