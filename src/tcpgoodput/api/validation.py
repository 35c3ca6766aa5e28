"""`tcpgoodput.validation`: the errors of all models on held-out connections.

Held-out connections are random connections that were drawn after the models' domains were fixed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison import validation as held_out
from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.space import Connection, Space
from tcpgoodput.comparison.families import families_of, label_of, represented
from tcpgoodput.comparison.table import OF_FAMILIES, rows_of
from tcpgoodput.configuration import refused
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.titles import TITLES
from tcpgoodput.engines.base import Measurement, Report, silent
from tcpgoodput.engines.measure import complete, side_by_side
from tcpgoodput.engines.measurements import Request, read_measurements
from tcpgoodput.engines.records import HELD_OUT, recorded
from tcpgoodput.project.checked import checked
from tcpgoodput.project.settings import DEFAULT_PATH, Configuration
from tcpgoodput.storage import csv_text, write_text

if TYPE_CHECKING:
    from IPython.display import Image
    from matplotlib.figure import Figure as Picture


def validation(
    configuration: str | Path = DEFAULT_PATH,
    measurements: str | Path | None = "results/measurements/heldout.csv",
    *,
    draw: int | None = None,
    points: int | None = None,
    tree: str | Path | None = None,
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
        draw: seed of the random connections; None: the seed in the configuration.
        points: number of random points to draw; about a tenth of them violate a condition of the
            configuration and give no connection. None: the number in the configuration.
        tree: a table with the decision tree of the random sample, which recommends model families,
            to evaluate the tree on the held-out connections; None: no tree.
        report: function that is called with the numbers of measured and of all connections.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Returns:
        The validation. `rows` has the error of every family of models (variants of one formula) on
        every connection. `errors` has medians, 90th percentiles and shares of these errors by
        status and family, each with a 95 % interval.

    Raises:
        ConfigurationError: a file is invalid, or the settings name no held-out connections.

    Example:
        >>> import tcpgoodput
        >>> held = tcpgoodput.validation(measurements=None, points=8, precision="draft")
        >>> len(held.connections) <= 8
        True

    """
    found = checked(configuration, changes)
    if found.comparison is None or found.comparison.held is None:
        raise refused(str(configuration), "comparison", "names no held-out connections")
    space = found.comparison.held
    new = {"seed": draw, "points": points}
    census = space.census.model_copy(update={k: v for k, v in new.items() if v is not None})
    return Validation(
        found,
        Space(space.name, census),
        Path(measurements) if measurements is not None else None,
        Path(tree) if tree is not None else None,
        report,
    )


CLOSE = 0.05
"""Largest half-width of the goodput's 95 % interval, relative to the goodput, with which a
connection counts as closely measured; chosen by hand."""


def _is_close(found: Measurement) -> bool:
    half_pps, pps = found.half_width_pps, found.goodput_pps
    return bool(pps and half_pps is not None and half_pps <= CLOSE * pps)


@dataclass(frozen=True)
class Validation:
    """The errors of all models on connections that were drawn after all domains were fixed."""

    configuration: Configuration
    space: Space
    """Distributions from which the parameters of the connections are drawn."""
    measurements: Path | None
    tree: Path | None
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
    def _requests(self) -> list[Request]:
        return held_out.requests(self.space, self.connections, self.conditions)

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
    def rows(self) -> pd.DataFrame:
        """A row for each connection and family of models, with status and error of one model.

        This model represents the family on the connection: it is the first with the best status.
        """
        answers = held_out.answers(self.connections, self.measured, self.conditions)
        every = rows_of(answers)
        families = families_of(self.configuration.families, every["model"].unique())
        return represented(every, families)

    @property
    def table(self) -> pd.DataFrame:
        """A row for each connection: impairments, sender, path and simulated goodput."""
        return pd.DataFrame([self._row(connection) for connection in self.connections])

    def _row(self, connection: Connection) -> dict[str, Any]:
        scenario = connection.scenario
        found = self.measured[scenario.id]
        return {
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

    @cached_property
    def counts(self) -> dict[str, int]:
        """The numbers of connections: all (`drawn`), and those with certain properties.

        `steady` and `unsteady`: with and without a steady state. `close`: steady and closely
        measured. `in_domain`: in the domain of a model. `recorded`: to be measured by ns-2 and
        Linux, too.
        """
        steady = [found for found in self.measured.values() if found.is_steady]
        valued = self.rows.dropna(subset="log_error")
        in_domain = valued[valued["status"].isin(IN_DOMAIN)]
        return {
            "drawn": len(self.connections),
            "steady": len(steady),
            "unsteady": len(self.measured) - len(steady),
            "close": sum(_is_close(found) for found in steady),
            "in_domain": in_domain["scenario"].nunique(),
            "recorded": len(held_out.recorded(self.connections)),
        }

    @cached_property
    def errors(self) -> pd.DataFrame:
        """Summary of the models' errors in per cent by status and family, with 95 % intervals."""
        rows = held_out.errors_by_status(self.rows)
        return pd.DataFrame(rows, columns=held_out.ERROR_COLUMNS)

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """A table by pair of families: on which share of connections the first has less error."""
        return pd.DataFrame(held_out.families_compared(self.rows), columns=held_out.PAIR_COLUMNS)

    @cached_property
    def advice(self) -> pd.DataFrame:
        """The errors of the two-line rule, the fluid model alone and the decision tree.

        The two-line rule takes PFTK if the capacity is constant, or if packets are lost or hit by
        hand-offs. Else it takes the fluid model.
        """
        tree = pd.read_csv(self.tree) if self.tree is not None else None
        rows = held_out.advice_judged(self.connections, self.rows, tree, self.engines)
        return pd.DataFrame(rows, columns=held_out.ADVICE_COLUMNS)

    @cached_property
    def engines(self) -> pd.DataFrame:
        """The ratios of simulated goodput to the goodputs recorded with ns-2 and Linux."""
        rows = held_out.ratios_to_references(self.connections, self.measured, recorded(HELD_OUT))
        return pd.DataFrame(rows, columns=held_out.ENGINE_COLUMNS)

    def draw(self) -> Picture:
        """Draw the errors of every family of models by the status of the prediction."""
        from tcpgoodput.drawing.comparison import draw_held

        theme.apply(self.configuration.style)
        label = label_of(self.configuration.families, self.configuration.style)
        names = {family: label(family) for family in self.rows["family"].unique()}
        return draw_held(self.rows, names, self.configuration.style)

    @cached_property
    def _files(self) -> dict[str, bytes]:
        return theme.rendered(self.draw())

    def show(self) -> Image:
        """Return the picture of errors by status for a notebook."""
        return theme.shown(self._files, TITLES["comparison/held"])

    def save(self, results: str | Path | None, figures: str | Path | None) -> None:
        """Write tables below `results` and the picture below `figures`; None skips a folder."""
        if results is not None:
            for name, text in self._texts():
                write_text(Path(str(results), "heldout", f"{name}.csv"), text)
        if figures is not None:
            theme.keep(self._files, Path(figures, "comparison", "held"))

    def _texts(self) -> Iterator[tuple[str, str]]:
        yield "counts", csv_text(list(self.counts), [self.counts])
        tables = {
            "rows": self.rows[OF_FAMILIES],
            "errors": self.errors,
            "pairs": self.pairs,
            "advice": self.advice,
            "engines": self.engines,
        }
        for name, table in tables.items():
            yield name, csv_text(list(table.columns), table.astype(object).to_dict("records"))
