"""`tcpgoodput.sample`: the errors of all models on a random sample of connections."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcpgoodput.comparison.census.design import RECORDED_SAMPLES, TREE
from tcpgoodput.comparison.census.paired import OTHER, OWN, paired_findings
from tcpgoodput.comparison.census.read import findings, to_read
from tcpgoodput.configuration.problems import alternatives
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.census import draw
from tcpgoodput.drawing.titles import OF_SAMPLES
from tcpgoodput.project.checked import checked
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.storage import write_text
from tcpgoodput.style import Style

if TYPE_CHECKING:
    from IPython.display import Image
    from matplotlib.figure import Figure as Picture

PICTURES = tuple(OF_SAMPLES)


def sample(
    name: str,
    configuration: str | Path = DEFAULT_PATH,
    table: str | Path | None = None,
    **changes: Any,
) -> Sample:
    """Return a random sample of connections, with their measurements and all predictions.

    Args:
        name: the name of a file in `config/census/`, without its ending.
        configuration: the settings file, such as `config/config.yaml`.
        table: the table of measurements and predictions; None: the one in `data/census/`.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Returns:
        The sample: `findings` are its tables, `show` returns its pictures.

    Raises:
        ConfigurationError: a file of the configuration is invalid.
        ValueError: there is no sample of this name.

    """
    found = checked(configuration, changes)
    if name not in found.censuses:
        known = list(found.censuses)
        raise ValueError(f"no sample is called {name!r}{alternatives(name, known)}")
    looks = to_read(found.censuses[name], found.families, found.style)
    return Sample(name, Path(table or RECORDED_SAMPLES / f"{name}.parquet"), looks, found.style)


@dataclass(frozen=True)
class Sample:
    """A random sample of connections, and the errors of all models on it."""

    name: str
    file: Path
    """Table with the measurement and the predictions for each connection."""
    looks: Mapping[str, Any]
    """Settings of the evaluation, such as families of models and impairments; see
    `comparison.census.read.to_read`."""
    style: Style

    @property
    def title(self) -> str:
        """The title of the sample."""
        return str(self.looks["title"])

    @cached_property
    def _texts(self) -> dict[str, str]:
        return findings(self.looks, self.file)

    @cached_property
    def findings(self) -> dict[str, pd.DataFrame]:
        """The results as tables by name: `errors`, `importance`, `tree`, `advice`, and so on."""
        return {name: _read(text) for name, text in self._texts.items()}

    def paired_with(self, other: Sample, tree: str | Path | None = None) -> dict[str, str]:
        """Compare with a sample that has the same paths and other senders; return CSV tables.

        The tables are texts, by their names.

        Args:
            other: the other sample.
            tree: a table with the other sample's decision tree, which recommends a family of models
                for a connection; None: compute the tree.

        """
        other_tree = other.findings[TREE] if tree is None else pd.read_csv(tree)
        trees = {OWN: self.findings[TREE], OTHER: other_tree}
        return paired_findings(self.looks, self.file, other.file, trees)

    def draw(self, name: str) -> Picture:
        """Draw one of the pictures that the report includes; `PICTURES` lists their names."""
        theme.apply(self.style)
        return draw(name, self.looks, self.findings[name], self.style)

    @cached_property
    def _files(self) -> dict[str, dict[str, bytes]]:
        return {name: theme.rendered(self.draw(name)) for name in PICTURES}

    def show(self, name: str) -> Image:
        """Return one of the sample's pictures for a notebook."""
        return theme.shown(self._files[name], f"{OF_SAMPLES[name]}: {self.title}")

    def save(
        self,
        results: str | Path | None,
        figures: str | Path | None,
        further: Mapping[str, str] | None = None,
    ) -> None:
        """Write tables below `results` and pictures below `figures`; None skips a folder.

        Args:
            results: the folder for the tables.
            figures: the folder for the pictures.
            further: more tables to write, as text by the name of the file; see `paired_with`.

        """
        if results is not None:
            for name, text in {**self._texts, **(further or {})}.items():
                write_text(Path(results, f"{name}.csv"), text)
        if figures is not None:
            for name, files in self._files.items():
                theme.keep(files, Path(figures, name))


def _read(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text))
