"""Where the files of a run are: in the tree itself, or in a folder of its own below `runs/`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Run:
    """The folders of one run, laid out alike whatever its name."""

    name: str | None
    """None: the run of the tree itself."""

    @property
    def root(self) -> str:
        """The folder that holds all others."""
        return f"runs/{self.name}" if self.name else "."

    @property
    def results(self) -> str:
        """The folder of numbers, executed notebooks and the report's generated parts."""
        return self._folder("results")

    @property
    def plan(self) -> str:
        """The folder of what jobs are asked."""
        return f"{self.results}/plan"

    @property
    def figures(self) -> str:
        """The folder of pictures."""
        return self._folder("figures")

    @property
    def paper(self) -> str:
        """The folder of the report."""
        return self._folder("paper")

    @property
    def logs(self) -> str:
        """The folder of what jobs printed, and of how long they took."""
        return self._folder("logs")

    @property
    def report(self) -> str:
        """The typeset report."""
        return f"{self.paper}/report.pdf"

    def taken_over(self, made_of: Mapping[str, Any]) -> str | None:
        """Note what the run is made of, and say so if it was made of something else before."""
        note = Path(self.results) / "run.json"
        before = _noted(note) or made_of
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps(made_of, indent=1) + "\n", encoding="utf-8")
        changed = [
            f"{key} {before.get(key)} before, now {value}"
            for key, value in made_of.items()
            if before.get(key) != value
        ]
        if not changed:
            return None
        return f"{self.results}/ is made anew where it differs: {', '.join(changed)}."

    def _folder(self, name: str) -> str:
        return f"{self.root}/{name}" if self.name else name

    def drawn(self, folder: str, names: Sequence[str]) -> list[str]:
        """Return the pictures of some names in a folder."""
        stems = [f"{self.figures}/{folder}/{name}" for name in names]
        return [f"{stem}.{suffix}" for stem in stems for suffix in ("pdf", "png")]


def _noted(note: Path) -> Mapping[str, Any] | None:
    """Return what a run was made of; None where nobody has noted it, or it cannot be read."""
    try:
        content = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
