"""Data flows one way, and so do imports: no package knows of one above it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "tcpgoodput"
PAGE = (ROOT / "docs" / "workflow.md").read_text(encoding="utf-8")
_, _, TABLE = PAGE.partition("## The layers\n")
LAYERS = re.findall(r"`(\w+)`", " ".join(re.findall(r"(?m)^\| (`.*?) \|", TABLE.split("\n## ")[0])))
"""As the page lists them, from the ground up."""


def imported(file: Path) -> set[str]:
    """Return the packages of ours that a file names, for the type checker included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        match node:
            case ast.ImportFrom(module="tcpgoodput", level=0):
                found |= {alias.name for alias in node.names}
            case ast.ImportFrom(module=str(module), level=0) if module.startswith("tcpgoodput."):
                found.add(module.split(".")[1])
            case ast.Import():
                names = (alias.name.split(".") for alias in node.names)
                found |= {name[1] for name in names if name[0] == "tcpgoodput" and name[1:]}
    return found


def test_the_page_lists_every_package_once() -> None:
    there = {p.name for p in PACKAGE.iterdir() if (p / "__init__.py").is_file()}
    there |= {p.stem for p in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    assert sorted(LAYERS) == sorted(there)


@pytest.mark.parametrize("layer", LAYERS)
def test_no_import_goes_upwards(layer: str) -> None:
    above = set(LAYERS[LAYERS.index(layer) + 1 :])
    folder = PACKAGE / layer
    for file in folder.rglob("*.py") if folder.is_dir() else [folder.with_suffix(".py")]:
        assert not imported(file) & above, file.relative_to(PACKAGE)
