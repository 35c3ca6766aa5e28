"""`tcpgoodput.sample`: the errors of all models on a random sample of connections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.api.load import configured, known
from tcpgoodput.comparison.census.design import RECORDED_SAMPLES, Space
from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.census.read import (
    counts_of,
    domains_of,
    gains_between,
    importance_of,
    left_out_of,
    ranges_of,
    read_sample,
    retransmission_errors,
    to_read,
)
from tcpgoodput.drawing import OF_PAIRS, OF_SAMPLES, theme
from tcpgoodput.drawing.census import draw
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.storage import write_table
from tcpgoodput.style import Style

if TYPE_CHECKING:
    from IPython.display import Image
    from matplotlib.figure import Figure as Picture


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
        The sample: `errors` has the error of every family on every connection, `findings` are
        further tables, `show` returns pictures.

    Raises:
        ConfigurationError: a file of the configuration is invalid.
        ValueError: there is no sample of this name.

    """
    found = configured(configuration, changes)
    space = found.censuses[known("sample", name, list(found.censuses))]
    looks = to_read(space, found.families, found.style)
    file = Path(table or RECORDED_SAMPLES / f"{name}.parquet")
    return Sample(name, file, looks, found.style, space, found.settings.conditions)


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
    space: Space
    """The distributions from which the connections are drawn."""
    conditions: Conditions
    """The equations of the models."""
    _rendered: dict[str, dict[str, bytes]] = field(default_factory=dict, init=False, repr=False)
    """Files of the pictures that are drawn already, by name and suffix."""

    @property
    def title(self) -> str:
        """The title of the sample."""
        return str(self.looks["title"])

    @cached_property
    def measured(self) -> Evidence:
        """All measured connections, with the predictions of families and of models."""
        return read_sample(self.looks, self.file)

    @cached_property
    def close(self) -> Evidence:
        """The connections whose goodput has a narrow confidence interval."""
        return self.measured.with_narrow_intervals()

    @cached_property
    def errors(self) -> pd.DataFrame:
        """A row for each narrowly measured connection and each family of models with an error.

        Summarise it with `tcpgoodput.errors_by`, such as `errors_by(drawn.errors, ["family",
        "status"])`. The column `group` is the connection's impairment.
        """
        return self.close.rows()

    @cached_property
    def errors_of_models(self) -> pd.DataFrame:
        """As `errors`, but with a row for each model of a family."""
        return self.close.rows("model")

    @cached_property
    def findings(self) -> dict[str, pd.DataFrame]:
        """Further results by name: `counts`, `left_out`, `ranges`, `in_domain`, `importance`."""
        return {
            "counts": counts_of(self.measured, self.looks["half_width"]),
            "left_out": left_out_of(self.measured),
            "ranges": ranges_of(self.measured.drawn),
            "in_domain": domains_of(self.close),
            "importance": importance_of(self.close),
        }

    def gains_over(self, other: Sample) -> pd.DataFrame:
        """Return ln(goodput / other goodput) for each connection that another sample has, too.

        Summarise it with `tcpgoodput.ratios_by`, such as `ratios_by(gains, ["group"], "gain")`.

        Args:
            other: a sample with the same paths and other senders.

        """
        return gains_between(self.file, other.file)

    def retransmission_errors(self, senders: Mapping[str, str]) -> pd.DataFrame:
        """Return the errors of models that know, or do not know, that the links retransmit.

        The result has two rows for each connection without other impairments and each model with
        an answer: `knows` is `link`, or `frames` if the model is given the rate of the frames, but
        no ARQ. Summarise it with `tcpgoodput.errors_by`, such as `errors_by(rows, ["model",
        "delivery", "knows"])`.

        Args:
            senders: models, each with the sender of its connections, as `{"mathis": "newreno"}`.

        """
        return retransmission_errors(self.space, self.close, senders, self.conditions)

    def draw(self, name: str, table: pd.DataFrame) -> Picture:
        """Draw one of the pictures that the report includes.

        Args:
            name: `errors`, `calibration`, `importance`, or `gains` for a paired sample.
            table: the table of this name.

        """
        theme.apply(self.style)
        rows = self.errors if name == "errors" else None
        return draw(name, self.looks, table, self.style, rows)

    def show(self, name: str, table: pd.DataFrame) -> Image:
        """Return one of the sample's pictures for a notebook; see `draw`."""
        self._rendered[name] = theme.rendered(self.draw(name, table))
        return theme.shown(self._rendered[name], f"{(OF_SAMPLES | OF_PAIRS)[name]}: {self.title}")

    def save(
        self, results: str | Path | None, figures: str | Path | None, **tables: pd.DataFrame
    ) -> None:
        """Write tables below `results` and the shown pictures below `figures`; None skips a folder.

        Args:
            results: the folder for the tables.
            figures: the folder for the pictures.
            **tables: tables that the notebook computes, by name.

        """
        if results is not None:
            for name, table in {**self.findings, **tables}.items():
                write_table(table, Path(results, f"{name}.csv"))
        if figures is not None:
            for name, files in self._rendered.items():
                theme.keep(files, Path(figures, name))
