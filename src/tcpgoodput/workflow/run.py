"""Where the files of a run are: in the tree itself, or in a folder of its own below `runs/`."""

from __future__ import annotations

from dataclasses import dataclass


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

    def _folder(self, name: str) -> str:
        return f"{self.root}/{name}" if self.name else name
