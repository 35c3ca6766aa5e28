"""`tcpgoodput.validation`: the errors of all models on held-out connections.

Held-out connections are random connections that were drawn after the models' domains were fixed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.api.load import configured, whole
from tcpgoodput.comparison import baselines
from tcpgoodput.comparison import validation as held_out
from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.design import Connection, Space, record_of
from tcpgoodput.comparison.census.read import read_sample, to_read
from tcpgoodput.comparison.families import families_of, label_of, represented
from tcpgoodput.comparison.link_errors import read_links
from tcpgoodput.comparison.table import OF_FAMILIES, rows_of
from tcpgoodput.configuration import refused
from tcpgoodput.drawing import TITLES, theme
from tcpgoodput.engines.base import Measurement, Report, silent
from tcpgoodput.engines.measure import complete, side_by_side
from tcpgoodput.engines.measurements import Request, read_measurements
from tcpgoodput.engines.records import HELD_OUT, INPUTS, recorded
from tcpgoodput.project.settings import DEFAULT_PATH, Configuration
from tcpgoodput.storage import write_table

if TYPE_CHECKING:
    from IPython.display import Image
    from matplotlib.figure import Figure as Picture


def validation(
    configuration: str | Path = DEFAULT_PATH,
    measurements: str | Path | None = "results/measurements/heldout.csv",
    *,
    samples: Mapping[str, str | Path] | None = None,
    draw: int | None = None,
    points: int | None = None,
    report: Report = silent,
    **changes: Any,
) -> Validation:
    """Return the errors of all models on held-out connections.

    Held-out connections are random connections that were drawn after the models' domains were
    fixed.

    Args:
        configuration: the settings file, such as `config/config.yaml`.
        measurements: the table of the packet simulator's measurements; None: measure the
            connections now, on all cores.
        samples: the tables of random samples, by the sample's name, for `predictions`; None: those
            in `data/census/`.
        draw: seed of the random connections; None: the seed in the configuration.
        points: number of random points to draw; about a tenth of them violate a condition of the
            configuration and give no connection. None: the number in the configuration.
        report: function that is called with the numbers of measured and of all connections.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Returns:
        The validation. `errors` has the error of every family of models (variants of one formula)
        on every connection; summarise it with `tcpgoodput.errors_by`.

    Raises:
        ConfigurationError: a file is invalid, or the settings name no held-out connections.
        ValueError: the draw or the number of points is no whole number, or too small.

    Example:
        >>> import tcpgoodput
        >>> held = tcpgoodput.validation(measurements=None, points=8, precision="draft")
        >>> len(held.connections) <= 8
        True

    """
    found = configured(configuration, changes)
    if found.comparison is None or found.comparison.held is None:
        raise refused(str(configuration), "comparison", "names no held-out connections")
    space = found.comparison.held
    new = {
        "seed": draw if draw is None else whole("draw", draw, 0),
        "points": points if points is None else whole("points", points, 2),
    }
    census = space.census.model_copy(update={k: v for k, v in new.items() if v is not None})
    return Validation(
        found,
        Space(space.name, census),
        Path(measurements) if measurements is not None else None,
        samples or {},
        report,
    )


CLOSE = 0.05
"""Largest half-width of the goodput's 95 % interval, relative to the goodput, with which a
connection counts as closely measured; chosen by hand."""


@dataclass(frozen=True)
class Validation:
    """The errors of all models on connections that were drawn after all domains were fixed."""

    configuration: Configuration
    space: Space
    """Distributions from which the parameters of the connections are drawn."""
    measurements: Path | None
    samples: Mapping[str, str | Path]
    """Tables of random samples; a sample without one is in `data/census/`."""
    report: Report = silent
    """Function that is called with the numbers of measured and of all connections."""

    @property
    def conditions(self) -> Conditions:
        """Equations, precision and seed of the simulations."""
        return self.configuration.settings.conditions

    @cached_property
    def connections(self) -> list[Connection]:
        """The held-out connections, which were drawn after the models' domains were fixed."""
        return held_out.connections(self.space)

    @cached_property
    def _copies(self) -> dict[str, list[Connection]]:
        """Changed copies of the recorded connections; of another draw none are recorded."""
        compared = self.configuration.comparison
        if compared is None or self.space != compared.held:
            return {}
        return held_out.copies(compared, self.connections)

    @cached_property
    def _requests(self) -> list[Request]:
        copies = (c for own in self._copies.values() for c in own)
        return held_out.requests(self.space, [*self.connections, *copies], self.conditions)

    @cached_property
    def measured(self) -> Mapping[str, Measurement]:
        """The packet simulator's measurement of each connection, by the scenario's id."""
        if self.measurements is not None:
            known = read_measurements(self.measurements)
        else:
            every = partial(side_by_side, len(os.sched_getaffinity(0)))
            rows = complete(self._requests, None, self.report, every)
            known = {row.key: row for row in rows}
        return {request.scenario.id: known[request.key] for request in self._requests}

    @cached_property
    def errors(self) -> pd.DataFrame:
        """A row for each connection and family of models, with status and error of one model.

        This model represents the family on the connection: it is the first with the best status.
        Summarise the table with `tcpgoodput.errors_by`, such as
        `errors_by(held.errors, ["family", "status"])`.
        """
        answers = held_out.answers(self.connections, self.measured, self.conditions)
        every = rows_of({**answer, "variation": ""} for answer in answers)
        families = families_of(self.configuration.families, every["model"].unique())
        kinds = {c.scenario.id: c.impairments for c in self.connections}
        found = represented(every, families)
        return found.assign(regime=found["scenario"].map(kinds))

    @property
    def table(self) -> pd.DataFrame:
        """A row for each connection: impairments, sender, path and simulated goodput."""
        rows = []
        for connection in self.connections:
            scenario = connection.scenario
            found = self.measured[scenario.id]
            row = {
                "scenario": scenario.id,
                "impairments": connection.impairments,
                "variant": scenario.tcp.variant,
                "stack": scenario.tcp.stack or "RFC",
                "rate_bps": scenario.path.rate_bps,
                "rtt_s": scenario.propagation_rtt_s,
                "goodput_pps": found.goodput_pps,
                "half_width_pps": found.half_width_pps,
                "is_steady": found.is_steady,
            }
            rows.append(row)
        return pd.DataFrame(rows)

    @cached_property
    def counts(self) -> dict[str, int]:
        """The numbers of connections: all (`drawn`), and those with certain properties.

        `steady` and `unsteady`: with and without a steady state. `close`: steady and closely
        measured. `in_domain`: in the domain of a model. `recorded`: to be measured by ns-2 and
        Linux, too.
        """
        own = [self.measured[connection.scenario.id] for connection in self.connections]
        steady = [found for found in own if found.is_steady]
        valued = self.errors.dropna(subset="log_error")
        in_domain = valued[valued["status"].isin(IN_DOMAIN)]
        return {
            "drawn": len(self.connections),
            "steady": len(steady),
            "unsteady": len(own) - len(steady),
            "close": len([found for found in steady if found.relative_half_width <= CLOSE]),
            "in_domain": in_domain["scenario"].nunique(),
            "recorded": len(held_out.recorded(self.connections)),
        }

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """A table by pair of families: on which share of connections the first has less error."""
        return held_out.families_compared(self.errors)

    @cached_property
    def predictions(self) -> pd.DataFrame:
        """The error of every way to predict, on random connections and on the held-out ones.

        A row for each connection and way to predict (`predictor`): a family of models, or a simpler
        way; see `comparison.baselines`. Summarise the table with `tcpgoodput.errors_of_all`. It is
        empty if the settings name no inputs, and so no random samples.
        """
        configuration, inputs = self.configuration, self.configuration.inputs
        if inputs is None:
            return pd.DataFrame(columns=baselines.COLUMNS)
        records = recorded(INPUTS)
        links = [link for link in read_links().links if link.measure]
        choices: dict[str, baselines.Choice] = {}
        parts: list[pd.DataFrame] = []
        for name in inputs.samples:
            looks = to_read(inputs.spaces[name], configuration.families, configuration.style)
            evidence = read_sample(looks, Path(self.samples.get(name, record_of(name))))
            choices[name] = baselines.chosen_on(evidence, inputs.spaces[name], links)
            parts += baselines.on_random(name, choices[name], evidence, inputs, records)
        held = baselines.of_held(self.connections, self.errors)
        parts += baselines.on_held(choices[inputs.settings.sample], held, self.engines)
        return pd.concat(parts, ignore_index=True)[baselines.COLUMNS]

    @cached_property
    def engines(self) -> pd.DataFrame:
        """The ratios of simulated goodput to the goodputs recorded with ns-2 and Linux.

        Also those of changed copies of the connections, such as with BBR as the sender.
        """
        records = recorded(HELD_OUT)
        every = {"": self.connections, **self._copies}
        ratios = held_out.ratios_to_references
        return pd.concat([ratios(c, self.measured, records, name) for name, c in every.items()])

    def draw(self) -> Picture:
        """Draw the errors of every family of models by the status of the prediction."""
        from tcpgoodput.drawing.comparison import draw_held

        theme.apply(self.configuration.style)
        label = label_of(self.configuration.families, self.configuration.style)
        names = {family: label(family) for family in self.errors["family"].unique()}
        return draw_held(self.errors, names, self.configuration.style)

    @cached_property
    def _files(self) -> dict[str, bytes]:
        return theme.rendered(self.draw())

    def show(self) -> Image:
        """Return the picture of errors by status for a notebook."""
        return theme.shown(self._files, TITLES["comparison/held"])

    def save(
        self, results: str | Path | None, figures: str | Path | None, **tables: pd.DataFrame
    ) -> None:
        """Write tables below `results` and the picture below `figures`; None skips a folder.

        Args:
            results: the folder of results, which gets `heldout/NAME.csv`.
            figures: the folder of figures.
            **tables: further tables to write, by name, such as summaries of the errors.

        """
        own = {"counts": pd.DataFrame([self.counts]), "rows": self.errors[OF_FAMILIES]}
        if results is not None:
            for name, table in {**own, "engines": self.engines, **tables}.items():
                write_table(table, Path(results, "heldout", f"{name}.csv"))
        if figures is not None:
            theme.keep(self._files, Path(figures, "comparison", "held"))
