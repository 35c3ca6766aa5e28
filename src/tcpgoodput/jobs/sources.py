"""What the text of a source file says: what it imports, and a digest of its code.

Comments and layout are no code. To parse all of ours takes a second, of which every plan that
changes would be made to wait: so what was found is kept beside the other caches, by the text's
digest.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tcpgoodput.storage.files import write_text

KEPT = Path(".cache/sources.json")
"""Below the project's folder."""


class Import(NamedTuple):
    """One statement: `import NAMES`, or `from BASE import NAMES`."""

    base: str | None
    level: int
    """How many dots are before the base."""
    names: tuple[str, ...]


class Said(NamedTuple):
    """What a file says."""

    code: str
    """A digest of what it does, whatever its comments and its layout."""
    imports: tuple[Import, ...]
    """In their order, those within functions too, those for the type checker alone left out."""


_seen: dict[str, Said] = {}


@cache
def said_by(file: Path) -> Said:
    """Return what a source file says.

    Raises:
        SyntaxError: it is no Python.

    """
    text = file.read_bytes()
    key = hashlib.sha256(sys.version.encode() + text).hexdigest()
    said = _kept().get(key) or _parsed(text, file)
    _seen[key] = said
    return said


def keep() -> None:
    """Keep what this process has seen, for the next one."""
    if _seen.keys() - _kept().keys():
        with contextlib.suppress(OSError):  # who cannot write parses again
            write_text(KEPT, json.dumps(_seen))


@cache
def _kept() -> dict[str, Said]:
    try:
        return {key: _restored(*said) for key, said in json.loads(KEPT.read_bytes()).items()}
    except (OSError, ValueError, TypeError, AttributeError):  # none yet, or what a full disk left
        return {}


def _restored(code: str, imports: list[tuple[str | None, int, list[str]]]) -> Said:
    return Said(code, tuple(Import(base, level, tuple(names)) for base, level, names in imports))


def _parsed(text: bytes, file: Path) -> Said:
    module = ast.parse(text, file)
    code = hashlib.sha256(ast.dump(module).encode()).hexdigest()[:16]
    return Said(code, tuple(map(_imported, _import_statements(module.body))))


def _imported(statement: ast.Import | ast.ImportFrom) -> Import:
    names = tuple(alias.name for alias in statement.names)
    if isinstance(statement, ast.Import):
        return Import(None, 0, names)
    return Import(statement.module or "", statement.level, names)


def _import_statements(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports among statements, and among those within them."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield statement
            continue
        if isinstance(statement, ast.If) and _is_for_the_type_checker(statement.test):
            yield from _import_statements(statement.orelse)
            continue
        for part in ("body", "orelse", "finalbody"):
            yield from _import_statements(getattr(statement, part, []))
        for branch in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _import_statements(branch.body)


def _is_for_the_type_checker(test: ast.expr) -> bool:
    match test:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return True
    return False
