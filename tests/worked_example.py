"""The example model of config/README.md, extracted from that file."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).parents[1] / "config" / "README.md"
FILE = "../my_models/tfrc.py"


def code() -> str:
    """Return the example model's Python code from config/README.md."""
    section = README.read_text(encoding="utf-8").split("\n## A new model\n")[1]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found is not None
    return found[1]


def setting() -> str:
    """Return the line of config/README.md that adds the example model to a settings file."""
    section = README.read_text(encoding="utf-8").split("\n## A new model\n")[1]
    found = re.search(r"```yaml\n(models: .*?\n)```", section, re.DOTALL)
    assert found is not None
    return found[1]


def add_to(settings: Path) -> None:
    """Write the example model's file next to a settings file, and name it in the settings."""
    file = settings.parent / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(code(), encoding="utf-8")
    with settings.open("a", encoding="utf-8") as text:
        text.write(setting())
