"""Folders of a run: the project itself, or a folder of its own below `runs/`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tcpgoodput.configuration import read, refused
from tcpgoodput.configuration.problems import alternatives
from tcpgoodput.project.settings import DEFAULT_PATH, Settings


@dataclass(frozen=True)
class Run:
    """The folders of one run; every run has the same layout."""

    name: str | None
    """Name of the run; None for a run whose results are in the project's own folders."""

    @property
    def root(self) -> str:
        """The folder that contains all other folders of the run."""
        return f"runs/{self.name}" if self.name else "."

    @property
    def results(self) -> str:
        """The folder of tables, executed notebooks and the report's generated parts."""
        return self._folder("results")

    @property
    def figures(self) -> str:
        """The folder of the run's pictures."""
        return self._folder("figures")

    @property
    def paper(self) -> str:
        """The folder of the run's report."""
        return self._folder("paper")

    @property
    def logs(self) -> str:
        """The folder of logs and benchmarks of jobs."""
        return self._folder("logs")

    @property
    def report(self) -> str:
        """The typeset report, a PDF file."""
        return f"{self.paper}/report.pdf"

    def _folder(self, name: str) -> str:
        return f"{self.root}/{name}" if self.name else name


def given_by(config: Mapping[str, Any], files: Sequence[str | Path]) -> tuple[Path, dict[str, Any]]:
    """Return the settings file of a workflow run, and the settings changed on the command line.

    Args:
        config: the configuration that Snakemake read from `--configfile` and `--config`.
        files: the files of `--configfile`; the last one is the settings file.

    Raises:
        ConfigurationError: a key is unknown or has no value.

    """
    changes = dict(config)
    path = changes.pop("configuration", files[-1] if files else DEFAULT_PATH)
    if not isinstance(path, str | Path) or not str(path).strip():
        raise refused("--config", "configuration", "needs a file: configuration=FILE")
    stated = read(Path(path)).data if files else {}
    changes = {k: v for k, v in changes.items() if k not in stated or stated[k] != v}
    known = ["configuration", *Settings.model_fields]
    for key, value in changes.items():
        if key not in known:
            message = f"unknown key{alternatives(key, known)}"
            raise refused("--config", key, message)
        if value is None:
            raise refused("--config", key, f"needs a value: {key}=VALUE")
    return Path(path), changes
