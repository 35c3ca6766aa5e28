"""`tcpgoodput.inputs`: the errors of predictions by what is known of the link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.api.load import configured
from tcpgoodput.comparison.census.design import record_of
from tcpgoodput.comparison.families import families_of
from tcpgoodput.comparison.input_errors import (
    REGRESSION_OF_SAMPLE,
    Choice,
    Predictions,
    on_links,
    on_referees,
    on_sample,
)
from tcpgoodput.comparison.inputs import Inputs, half_of
from tcpgoodput.comparison.regressions import Regressions, caps_of
from tcpgoodput.configuration import refused
from tcpgoodput.drawing import TITLES, theme
from tcpgoodput.engines.measurements import read_measurements
from tcpgoodput.engines.records import INPUTS, recorded
from tcpgoodput.models import MODELS
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.storage import write_table
from tcpgoodput.style import Style

if TYPE_CHECKING:
    from IPython.display import Image
    from matplotlib.figure import Figure as Picture

LEARNED = 2048
"""Largest number of points of each random sample from which regressions learn. Chosen by hand."""


def inputs(
    configuration: str | Path = DEFAULT_PATH,
    measurements: str | Path = "results/measurements/inputs.csv",
    samples: Mapping[str, str | Path] | None = None,
    **changes: Any,
) -> Knowledge:
    """Return the errors of predictions that know less of the link than the whole scenario.

    Args:
        configuration: the settings file, such as `config/config.yaml`.
        measurements: the table of the simulations with less knowledge, part `inputs` of a run.
        samples: the table of each random sample from which connections are, by the sample's name;
            None: those in `data/census/`.
        **changes: keys of the settings to change, such as `seed=2`.

    Returns:
        The predictions. `errors` has a row for each connection, level of knowledge and way to
        predict; summarise it with `tcpgoodput.errors_by`.

    Raises:
        ConfigurationError: a file is invalid, or the settings name no file of inputs.
        FileNotFoundError: a table does not exist.

    """
    found = configured(configuration, changes)
    if found.inputs is None:
        raise refused(str(configuration), "inputs", "names no file of inputs: see config/README.md")
    families = families_of(found.families, MODELS.names())
    paths = {
        name: Path((samples or {}).get(name, record_of(name))) for name in found.inputs.samples
    }
    for name, path in paths.items():
        if not path.is_file():
            raise FileNotFoundError(f"no table {path} of the random sample {name}")
    conditions = found.settings.conditions
    return Knowledge(found.inputs, found.style, conditions, families, Path(measurements), paths)


@dataclass(frozen=True)
class Knowledge:
    """Errors of predictions by what is known of the link."""

    inputs: Inputs
    """The levels of knowledge, and the connections."""
    style: Style
    conditions: Conditions
    families: Mapping[str, list[str]]
    """The models of each family."""
    measurements: Path
    samples: Mapping[str, Path]
    """Table of each random sample, by name."""
    _rendered: dict[str, bytes] = field(default_factory=dict, init=False, repr=False)

    @property
    def labels(self) -> dict[str, str]:
        """The label of each level on random connections, from the least to the most knowledge."""
        return {name: level.label for name, level in self.inputs.settings.levels.items()}

    @cached_property
    def _predictions(self) -> Predictions:
        measured = read_measurements(self.measurements)
        return Predictions(self.inputs, self.conditions, self.families, measured)

    @cached_property
    def choice(self) -> Choice:
        """The formulas and constants, chosen on the first half of the random sample."""
        own = on_sample(self.inputs.choosing, self.samples[self.inputs.space.name])
        return Choice(self._predictions.errors(own))

    @cached_property
    def _regressions(self) -> list[Regressions]:
        """What the first halves of all random samples teach, and of the one that is predicted.

        Connections with the same number have the same path in two samples: those with the number
        of a judged connection teach nothing.
        """
        found = self.inputs
        judged = {one.number for one in chain(found.judging, *found.judged.values())}
        of_sample = {}
        for name, table in self.samples.items():
            half = half_of(found.spaces[name], 0, LEARNED)
            own = on_sample((c for c in half if c.number not in judged), table)
            of_sample[name] = caps_of(own, found.settings)
        return [
            Regressions(pd.concat(of_sample.values(), ignore_index=True)),
            Regressions(of_sample[found.space.name], REGRESSION_OF_SAMPLE),
        ]

    @cached_property
    def errors(self) -> pd.DataFrame:
        """A row for each prediction: `judge`, `connection`, `case`, `predictor`, `log_error`.

        The judge is the engine that measured the goodput. A case is a level of knowledge, or
        `without-INPUT`: all inputs but one are known. `log_error` is missing if there is no
        prediction.
        """
        judged = on_sample(self.inputs.judging, self.samples[self.inputs.space.name])
        judged += on_referees(self.inputs, recorded(INPUTS))
        rows = self.choice.predictors(self._predictions.errors(judged))
        caps = caps_of(judged, self.inputs.settings)
        learned = [one.predictors(caps) for one in self._regressions]
        return pd.concat([rows, *learned], ignore_index=True)

    @cached_property
    def recorded(self) -> pd.DataFrame:
        """A row for each prediction over a recorded link, as `errors`, with the column `link`."""
        return on_links(self.families)

    @cached_property
    def formulas(self) -> pd.DataFrame:
        """The formula that is chosen for each case and regime (combination of impairments)."""
        rows = [(*where, order[0]) for where, order in self.choice.orders.items()]
        return pd.DataFrame(rows, columns=["case", "regime", "family"])

    def draw(self, errors: pd.DataFrame) -> Picture:
        """Draw errors by level of knowledge.

        Args:
            errors: statistics of `errors_by` for each `judge`, `case` and `predictor`.

        """
        from tcpgoodput.drawing.inputs import draw

        theme.apply(self.style)
        return draw(errors, [self.labels, self.inputs.settings.recorded], self.style)

    def show(self, errors: pd.DataFrame) -> Image:
        """Return the picture of errors by level of knowledge for a notebook; see `draw`."""
        self._rendered.update(theme.rendered(self.draw(errors)))
        return theme.shown(self._rendered, TITLES["inputs/levels"])

    def save(
        self, results: str | Path | None, figures: str | Path | None, **tables: pd.DataFrame
    ) -> None:
        """Write tables below `results`, and the last shown picture below `figures`.

        Args:
            results: the folder of results, which gets `inputs/NAME.csv`; None: no table.
            figures: the folder of figures; None: no picture.
            **tables: the tables, by name.

        """
        if results is not None:
            for name, rows in tables.items():
                write_table(rows, Path(results, "inputs", f"{name}.csv"))
        if figures is not None:
            theme.keep(self._rendered, Path(figures, "inputs", "levels"))
