"""`tcpgoodput.sample`: what a random sample of connections says of all models."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcpgoodput.comparison.census.beside import OTHER, OWN, findings_beside
from tcpgoodput.comparison.census.design import KEPT, TREE
from tcpgoodput.comparison.census.read import findings, to_read
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.census import draw
from tcpgoodput.project.checked import checked
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.storage import write_text
from tcpgoodput.style import Style

if TYPE_CHECKING:
    from IPython.display import Image
    from matplotlib.figure import Figure as Picture

PICTURES = ("errors", "calibration", "importance", "tree")


def sample(
    name: str,
    configuration: str | Path = DEFAULT_PATH,
    table: str | Path | None = None,
    **changes: Any,
) -> Sample:
    """Return a random sample of connections, measured and answered by all models.

    Args:
        name: a file of `config/census/`, without its ending.
        configuration: the settings, a file as `config/config.yaml`.
        table: what was measured and answered; None: the record in `data/census/`.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Raises:
        ConfigurationError: anything wrong in any of the files.
        ValueError: there is no sample of this name.

    """
    found = checked(configuration, changes)
    if name not in found.censuses:
        known = list(found.censuses)
        raise ValueError(f"no sample is called {name!r}{nearest(name, known)} ({choices(known)})")
    looks = to_read(found.censuses[name], found.families, found.style)
    return Sample(name, Path(table or KEPT / f"{name}.parquet"), looks, found.style)


@dataclass(frozen=True)
class Sample:
    """A random sample of connections, and what it says of all models."""

    name: str
    file: Path
    """The table of what was measured and answered of each connection."""
    looks: Mapping[str, Any]
    """How it is read: families of models, impairments; see `census.looks`."""
    style: Style

    @property
    def title(self) -> str:
        """What the sample is of."""
        return str(self.looks["title"])

    @cached_property
    def _texts(self) -> dict[str, str]:
        return findings(self.looks, self.file)

    @cached_property
    def findings(self) -> dict[str, pd.DataFrame]:
        """What it says, a table each: `errors`, `importance`, `tree`, `advice`, and so on."""
        return {name: _read(text) for name, text in self._texts.items()}

    def beside(self, other: Sample, tree: str | Path | None = None) -> dict[str, str]:
        """Return what it says together with another sample of the same connections, as CSV.

        Args:
            other: the other sample.
            tree: a table of the tree of advice that the other one has grown; None: grow it.

        """
        grown = other.findings[TREE] if tree is None else pd.read_csv(tree)
        trees = {OWN: self.findings[TREE], OTHER: grown}
        return findings_beside(self.looks, self.file, other.file, trees)

    def draw(self, name: str) -> Picture:
        """Draw a picture that the report includes: one of `PICTURES`."""
        theme.apply(self.style)
        return draw(name, self.looks, self.findings[name], self.style)

    @cached_property
    def _files(self) -> dict[str, dict[str, bytes]]:
        return {name: theme.rendered(self.draw(name)) for name in PICTURES}

    def show(self, name: str) -> Image:
        """Return a picture for a notebook."""
        return theme.shown(self._files[name])

    def save(
        self,
        results: str | Path | None,
        figures: str | Path | None,
        further: Mapping[str, str] | None = None,
    ) -> None:
        """Write findings and pictures into two folders; None: not.

        Args:
            results: of the findings.
            figures: of the pictures.
            further: findings beside the own ones, as `beside` returns them.

        """
        if results is not None:
            for name, text in {**self._texts, **(further or {})}.items():
                write_text(Path(results, f"{name}.csv"), text)
        if figures is not None:
            for name, files in self._files.items():
                theme.keep(files, Path(figures, name))


def _read(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text))
