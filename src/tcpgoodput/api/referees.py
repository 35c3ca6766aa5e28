"""Comparison of the packet simulator with the reference implementations, ns-2 and Linux."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcpgoodput.api.load import configured
from tcpgoodput.comparison.errors import ratio_of
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.requests import NO_SEED, compared_requests
from tcpgoodput.comparison.table import read_parts
from tcpgoodput.drawing import TITLES, theme
from tcpgoodput.drawing.referees import by_scenario, by_study, draw, draw_columns
from tcpgoodput.engines.base import PACKET, REFEREE_NAMES
from tcpgoodput.engines.measurements import FROM_START
from tcpgoodput.engines.records import COMPARISON, recorded
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.project.settings import DEFAULT_PATH, Configuration
from tcpgoodput.storage import csv_text, read_rows, write_text
from tcpgoodput.studies.answering import answers_path
from tcpgoodput.studies.quantities import COUNTED
from tcpgoodput.studies.schema import LineFigure, Series
from tcpgoodput.style import Style

if TYPE_CHECKING:
    from IPython.display import Image


COLUMNS = [
    *("source", "figure", "panel", "variation", "engine", "series", "setting", "sender", "key"),
    *("x", "ratio", "ratio_low", "ratio_high", "agrees"),
]

Row = Mapping[str, str]


@dataclass(frozen=True)
class Pair:
    """Measurements of one connection by the packet simulator and by ns-2 or Linux, as a ratio."""

    source: str
    figure: str
    panel: str
    """Panel of the figure, or id of the scenario."""
    variation: str
    """Name of the scenario's variation; empty for figures and unchanged scenarios."""
    engine: str
    series: str
    """Label of the series of the reference implementation."""
    setting: str
    """Name of the profile of Linux kernel settings; empty for ns-2."""
    sender: str
    """Kernel whose sender the simulator imitated (`tcp.stack`); empty for the sender of the
    RFCs."""
    key: str
    """Key of the measurement by the reference implementation."""
    x: float
    ratio: float
    """Goodput of the simulator over goodput of the reference implementation."""
    low: float
    high: float
    """Upper end of the 95 % interval of the ratio; `low` is the lower end."""

    @property
    def agrees(self) -> bool | None:
        """Whether the interval of the ratio contains 1; None if the ratio has no interval."""
        if not (self.low > 0 or self.high < math.inf):
            return None
        return self.low <= 1 <= self.high

    def record(self) -> dict[str, Any]:
        """Return the pair of measurements as a row of the table of pairs."""
        own = {name: getattr(self, name) for name in COLUMNS if not name.startswith("ratio_")}
        return {**own, "ratio_low": self.low, "ratio_high": self.high}


def pairs(
    configuration: Configuration, connections: Iterable[Mapping[str, Any]], results: Path
) -> list[Pair]:
    """Return the pairs of measurements by the simulator and by ns-2 or Linux.

    The pairs in figures come first, in the order of studies and figures; then those for scenarios
    of the comparison of models. If several figures show a connection, it is in several pairs with
    the same key.
    """
    of_scenarios = _of_comparison(connections, configuration.style, results)
    of_figures = [
        pair
        for source in configuration.sources.values()
        for name, figure in source.figures.figures.items()
        if isinstance(figure, LineFigure)
        and any(
            series.engine in REFEREE_NAMES for p in figure.panels.values() for series in p.series
        )
        for pair in _of_figure(source.name, name, figure, configuration.style, results)
    ]
    return [*of_figures, *of_scenarios]


def _of_comparison(
    connections: Iterable[Mapping[str, Any]], style: Style, results: Path
) -> Iterator[Pair]:
    """Yield the pairs for the scenarios of the comparison; `figure` is the name of their file."""
    records = recorded(COMPARISON)
    connections = list(connections)
    stems = dict.fromkeys(connection["stem"] for connection in connections)
    parts = read_parts(results / "comparison" / "scenarios", stems)
    ours = {
        (entry["scenario"], entry["variation"]): entry["simulation"]
        for part in parts.values()
        for entry in part["rows"]
    }
    for connection in connections:
        case = connection["scenario"], connection["variation"]
        our = ours[case]
        their = records.get(connection["key"])
        if not (their and their.goodput_pps and our and our["goodput_pps"]):
            continue
        engine = connection["engine"]
        where = (COMPARISON, connection["stem"], *case, engine)
        known = (style.label(Series(engine=engine)), connection["setting"])
        which = (connection["sender"], connection["key"], float(connection["row"]))
        yield Pair(*where, *known, *which, *ratio_of(_ends(our), their.ends_pps))


def _ends(simulation: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return a simulated goodput and the ends of its 95 % interval, in packets per second."""
    pps = simulation["goodput_pps"]
    half_pps = pps * (simulation["ci95_bps"] or 0.0) / simulation["goodput_bps"]
    return pps, pps - half_pps, pps + half_pps


def _of_figure(
    study: str, name: str, figure: LineFigure, style: Style, results: Path
) -> Iterator[Pair]:
    """Yield the pairs of a figure: two measurements of one connection in the same panel.

    Series of ns-2 whose capacity is varied by cross-traffic are left out, because the simulator has
    no such flow. A simulated series that imitates a kernel's sender names a series measured by
    Linux under `stands_for`. Points of these two series are paired if their paths are equal.
    """
    rows = read_rows(answers_path(results, study, name))
    series = {(p, s.key): s for p, panel in figure.panels.items() for s in panel.series}
    ours: dict[tuple[str, str], Row] = {}
    as_kernels: dict[tuple[str, str, str], Row] = {}
    for row in reversed(rows):
        # Only goodputs are paired: counts of timeouts and losses are of the same connections.
        if figure.panels[row["panel"]].quantity in COUNTED:
            continue
        if row["origin"] == PACKET:
            ours[row["panel"], row["connection"]] = row
            if kernels := series[row["panel"], row["series"]].stands_for:
                as_kernels[row["panel"], kernels, row["path"]] = row
    for their in rows:
        if their["origin"] not in REFEREE_NAMES or their["key"].endswith(FROM_START):
            continue
        panel = their["panel"]
        if series[panel, their["series"]].capacity_as == "cross-traffic":
            continue
        label = style.label(series[panel, their["series"]])
        where = (study, name, panel, "", their["origin"], label, their["setting"])
        for our in (
            ours.get((panel, their["connection"])),
            as_kernels.get((panel, their["series"], their["path"])),
        ):
            both = [_measured(row) for row in (our, their) if row]
            if our and all(y > 0 for y, _, _ in both):
                if figure.panels[panel].quantity == "transfer_s":  # proportional to 1 / goodput
                    both.reverse()
                known = (our["sender"], their["key"], float(their["x"]))
                yield Pair(*where, *known, *ratio_of(*both))


def _measured(row: Row) -> tuple[float, float, float]:
    """Return a row's measured y and the ends of its 95 % interval, in the unit of the figure."""
    y, low, high = (float(row[name] or "nan") for name in ("y", "y_low", "y_high"))
    return y, low, high


def referees(
    configuration: str | Path = DEFAULT_PATH, results: str | Path = "results", **changes: Any
) -> Pairs:
    """Pair measurements by the simulator with those by ns-2 and Linux of the same connections.

    Args:
        configuration: the settings file, such as `config/config.yaml`.
        results: the folder with the computed figures and scenarios.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Returns:
        The pairs, with their tables and pictures.

    Raises:
        ConfigurationError: a file of the configuration or of the recorded measurements is invalid.

    """
    found = configured(configuration, changes)
    connections = list(reference_requests(found.comparison)) if found.comparison else []
    rows = [pair.record() for pair in pairs(found, connections, Path(results))]
    labels = found.comparison.variation_labels if found.comparison else None
    return Pairs(csv_text(COLUMNS, rows), found.style, labels)


def reference_requests(compared: Compared) -> Iterator[dict[str, Any]]:
    """Yield a dict for each connection of the comparison that ns-2 or Linux may measure.

    The connections are the comparison's scenarios and their variations (changed copies). `stem` is
    the name of the scenario's file, `row` is 0 for the scenario and 1, 2, … for its variations.
    `key` identifies the measurement.
    """
    for stem, plain in compared.scenarios.items():
        for engine in REFEREES:
            points = compared_requests(compared, stem, engine)
            for row, (name, point) in enumerate(zip(compared.rows(stem), points, strict=True)):
                request = point.engine_request("paper", NO_SEED)
                yield {
                    "stem": stem,
                    "row": row,
                    "engine": engine,
                    "scenario": plain.id,
                    "variation": name,
                    "sender": point.scenario.tcp.stack or "",
                    "key": request.key,
                    "setting": request.setting,
                }


class Pairs:
    """All pairs of measurements of the same connections by the simulator and by ns-2 or Linux."""

    def __init__(self, csv: str, style: Style, variations: Mapping[str, str] | None) -> None:
        """Separate the pairs of figures from the pairs of scenarios.

        Args:
            csv: the table of pairs, as CSV.
            style: labels, colours and sizes.
            variations: the labels of the scenarios' variations, by name; None: the run does not
                compare models on scenarios.

        """
        self.csv, self.style, self._variations = csv, style, variations or {}
        self.table = pd.read_csv(io.StringIO(csv)).fillna({"variation": ""})
        compared = self.table["source"] == COMPARISON
        self.of_figures, self.of_scenarios = self.table[~compared], self.table[compared]
        self.pictures = ["agreement"] if variations is None else ["agreement", "scenarios"]

    def summary(self) -> pd.DataFrame:
        """Return, for each series of ns-2 or Linux, the number of pairs and statistics of ratios.

        `agree` counts the pairs whose interval of the ratio contains 1. `median`, `lowest` and
        `highest` are of the ratios, simulated over measured.
        """
        agrees = self.of_figures["agrees"].isin([True])  # it is empty without an interval
        by = ["source", "figure", "engine", "series"]
        groups = self.of_figures.assign(agrees=agrees).groupby(by, sort=False)
        return groups.agg(
            pairs=("ratio", "size"),
            agree=("agrees", "sum"),
            median=("ratio", "median"),
            lowest=("ratio", "min"),
            highest=("ratio", "max"),
        ).round(3)

    @cached_property
    def _files(self) -> dict[str, dict[str, bytes]]:
        """The pictures as files: ratios of goodputs for the figures, and for the scenarios."""
        theme.apply(self.style)
        pictures = {
            "agreement": draw(by_study(self.of_figures), self.style),
            "scenarios": draw_columns(by_scenario(self.of_scenarios, self._variations), self.style),
        }
        return {name: theme.rendered(pictures[name]) for name in self.pictures}

    def show(self, name: str) -> Image | None:
        """Return the picture `agreement` (figures) or `scenarios`; None if it does not exist."""
        if name not in self.pictures:
            return None
        return theme.shown(self._files[name], TITLES[f"referees/{name}"])

    def save(self, results: str | Path | None, figures: str | Path | None) -> None:
        """Write the table below `results` and pictures below `figures`; None skips a folder."""
        if results is not None:
            write_text(Path(results, "referees.csv"), self.csv)
        for name, files in self._files.items() if figures is not None else ():
            theme.keep(files, Path(str(figures), "referees", name))
