"""`tcpgoodput.study`: the figures of a study, computed from its file in `config/figures/`."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

import tcpgoodput.studies.sender_views  # noqa: F401  (registers curves and tables of the simulator)
from tcpgoodput.answers import Conditions
from tcpgoodput.api.load import configured, enter_project, known
from tcpgoodput.comparison.claims.data import Data
from tcpgoodput.comparison.claims.files import SourceClaims
from tcpgoodput.comparison.claims.sentences import recorded_sentences, verdict_sentences
from tcpgoodput.comparison.claims.verdicts import Judgement, judgements_of
from tcpgoodput.comparison.claims.words import EVIDENCE_TITLES
from tcpgoodput.configuration import refused
from tcpgoodput.drawing import diagrams, lines, theme
from tcpgoodput.drawing.marks import FigureData
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.measurements import Request, read_measurements
from tcpgoodput.engines.records import recorded
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.project.manifest import CELLS, REFERENCE, read_contents
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.scenario import Scenario
from tcpgoodput.storage import csv_text, write_text
from tcpgoodput.studies.answering import (
    Computed,
    answers,
    answers_path,
    outside,
    published,
    write_answers,
)
from tcpgoodput.studies.checks import wrong_marks
from tcpgoodput.studies.open_settings import as_drawn
from tcpgoodput.studies.schema import (
    Figure,
    LadderFigure,
    LineFigure,
    Source,
    TableFigure,
    TopologyFigure,
)
from tcpgoodput.studies.sweeps import PointRequest, point_requests, requests_of, sweep_points
from tcpgoodput.style import Style

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture


def study(
    name: str,
    configuration: str | Path = DEFAULT_PATH,
    measurements: str | Path | None = None,
    **changes: Any,
) -> Study:
    """Return a study, whose figures can then be computed one by one.

    Args:
        name: the name of a study, one of the `sources` in the settings.
        configuration: the settings file, such as `config/config.yaml`.
        measurements: the table of the packet simulator's measurements for the study. Figures omit
            the simulated points that the table does not contain, or all of them without a table.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Returns:
        The study: `figures` lists the names of its figures, `figure` computes one of them.

    Raises:
        ConfigurationError: a file of the configuration is invalid.
        ValueError: the settings contain no study of this name.

    Example:
        >>> import tcpgoodput
        >>> mathis = tcpgoodput.study("mathis")
        >>> window = mathis.figure(mathis.figures[0])
        >>> list(window.table.columns)[:4]
        ['panel', 'series', 'origin', 'x']

    """
    found = configured(configuration, changes)
    known("study", name, list(found.sources))
    table = Path(measurements) if measurements else None
    measured = read_measurements(table) if table and table.is_file() else {}
    settings, source, claims = found.settings, found.sources[name], found.claims.get(name)
    file = found.path.parent / settings.figures / f"{name}.yaml"
    return Study(source, found.style, settings.conditions, measured, str(file), claims)


def open_study(
    name: str,
    configuration: str | Path = DEFAULT_PATH,
    measurements: str | Path | None = None,
    **changes: Any,
) -> Study:
    """Prepare a notebook for a study, and return the study.

    The current directory becomes the project's folder, as by `enter_project`. Matplotlib draws in
    the project's style, and pandas shows texts in full.

    Args:
        name: the name of a study, one of the `sources` in the settings.
        configuration: the settings file, from the project's folder.
        measurements: the table of the packet simulator's measurements for the study; see `study`.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Returns:
        The study.

    Raises:
        ConfigurationError: a file of the configuration is invalid or missing.
        ValueError: the settings contain no study of this name.

    Example:
        >>> import tcpgoodput
        >>> tcpgoodput.open_study("mathis").title
        'A very simple model for TCP throughput'

    """
    enter_project(configuration)
    found = study(name, configuration, measurements, **changes)
    theme.apply(found.style)
    pd.set_option("display.max_colwidth", None)
    return found


@dataclass(frozen=True, repr=False)
class Study:
    """A study: its figures, their measurements, and their style."""

    source: Source
    style: Style
    conditions: Conditions
    """Equations, precision and seed of the run."""
    measured: Mapping[str, Measurement]
    """Measurements of the packet simulator, by key."""
    file: str
    """Path of the file that defines the figures."""
    claims: SourceClaims | None = None
    """The checkable statements of the study; None if the configuration has none."""
    _computed: dict[str, StudyFigure] = field(default_factory=dict)

    def __repr__(self) -> str:
        text = f"{self.title}: {len(self.figures)} figures"
        if not self.missing:
            return text
        return (
            f"{text}.\n{self.missing} connections are not simulated (`./reproduce` does it).\n"
            "Figures have no points of them; some legends name these points all the same.\n"
            "Verdicts that need them are those of the reference results."
        )

    @property
    def title(self) -> str:
        """The study's title."""
        return self.source.figures.title

    @property
    def figures(self) -> list[str]:
        """The names of the study's figures and tables, in the order of its file."""
        return list(self.source.figures.figures)

    @property
    def requests(self) -> list[Request]:
        """The connections that the packet simulator must measure for the study's figures."""
        return requests_of(self.source, self.conditions)

    @property
    def missing(self) -> int:
        """The number of connections in `requests` that have no measurement in `measured`."""
        return len({request.key for request in self.requests} - self.measured.keys())

    def point_requests(self, name: str) -> Iterator[PointRequest]:
        """Yield the points of a figure that the simulator, ns-2 or Linux must measure."""
        figure = self.source.figures.figures[name]
        return point_requests(self.source.scenarios, figure, self.conditions.precision)

    @cached_property
    def known(self) -> dict[str, Measurement]:
        """The measurements by the simulator, and the recorded ones by ns-2 and Linux, by key.

        The recorded ones are read only if a figure of the study needs them.
        """
        ours = {key: row.rounded() for key, row in self.measured.items()}
        every = {request.engine for name in self.figures for request in self.point_requests(name)}
        return ours | recorded(self.source.name) if every & REFEREES.keys() else ours

    def figure(self, name: str) -> StudyFigure:
        """Compute a figure: the values of all its models, and the measurements, at every point.

        Raises:
            ValueError: the study has no figure of this name.
            ConfigurationError: a curve refuses its options, or a mark (such as an arrow) names a
                landmark that the curve does not have.

        """
        if name in self._computed:
            return self._computed[name]
        figure = self.source.figures.figures[known("figure", name, self.figures)]
        try:
            computed = answers(self.source.scenarios, figure, self.conditions, self.known)
            for panel, own in figure.panels.items() if isinstance(figure, LineFigure) else ():
                for position, _, message in wrong_marks(own, computed.landmarks[panel]):
                    raise ValueError(f"panel {panel}, mark {position}: {message}")
        except (ValueError, TypeError) as error:
            raise refused(self.file, f"figures.{name}", str(error)) from error
        self._computed[name] = StudyFigure(self, name, figure, computed)
        return self._computed[name]

    def points(self, figure: str, series: str, panel: str = "a") -> pd.DataFrame:
        """Return the points of one series of a figure: of a model's line, or of markers.

        Args:
            figure: the name of the figure.
            series: the id of the series in the file of figures.
            panel: the name of the panel.

        Returns:
            A row for each point that has a value: `x` and `y` as drawn, and `scenario`, the
            connection at this point. The table is empty if the study's file has no such series over
            a sweep, as in a configuration with other figures.

        Example:
            >>> import tcpgoodput
            >>> mathis = tcpgoodput.study("mathis")
            >>> line = mathis.points(mathis.figures[1], "mathis_mss_1448")
            >>> [scenario.loss.probability for scenario in line["scenario"][:2]]
            [0.01, 0.011]

        """
        found: list[tuple[float, float, Scenario]] = []
        defined = self.source.figures.figures.get(figure)
        own = defined.panels.get(panel) if isinstance(defined, LineFigure) else None
        for one in own.series if own and own.sweep else ():
            if one.key == series and one.curve is None and one.loss_of is None:
                precision = self.conditions.precision
                swept = sweep_points(self.source.scenarios, own, one, precision)
                scenarios = {point.x: point.scenario for point in swept}
                rows = self.figure(figure).computed.rows
                found += [
                    (row["x"], row["y"], scenarios[row["x"]])
                    for row in rows
                    if (row["panel"], row["series"]) == (panel, series) and row.get("y") is not None
                ]
        table = pd.DataFrame(found, columns=["x", "y", "scenario"])
        return table.astype({"x": float, "y": float})  # numbers, also if there are no rows

    def show(self, *names: str) -> None:
        """Show figures in a notebook, each with title, picture or table, and caption.

        A sentence replaces a figure that the study's file does not define.
        """
        from IPython.display import Markdown, display

        for name in names:
            if name in self.figures:
                self.figure(name).show()
            else:
                display(Markdown(f"`{self.file}` defines no figure `{name}`."))

    def show_verdicts(self, *claims: str) -> None:
        """Show statements of the study with their verdicts in a notebook.

        Each kind of evidence has its verdict, what the verdict means, the test, and the number that
        decides. If measurements are missing, the verdict is that of the reference results.

        Args:
            *claims: ids of claims, in the study's file of claims. An id that the file does not have
                is left out.

        Raises:
            ConfigurationError: a claim cannot be evaluated.

        """
        from IPython.display import Markdown, display

        verdicts = self.verdicts(*claims)
        missing = any(one.outcomes and one.outcomes[0].unmeasured for one in verdicts)
        released = _released(self.source.name) if missing else {}
        found = groupby(verdicts, key=lambda one: one.claim.id)
        texts = [_verdicts_text(list(own), released) for _, own in found]
        display(Markdown("\n\n".join(texts) or "The configuration has none of these statements."))

    def verdicts(self, *claims: str) -> list[Judgement]:
        """Evaluate statements of the study on its figures, which are computed if necessary.

        Args:
            *claims: ids of claims; an id that the study's file of claims does not have is left out.

        Returns:
            A verdict for each claim, in the given order, and each kind of evidence, such as
            simulation.

        Raises:
            ConfigurationError: a claim cannot be evaluated.

        """
        if self.claims is None:
            return []
        by_id = {claim.id: claim for claim in self.claims.claims}
        chosen = [by_id[name] for name in claims if name in by_id]

        def read(figure: str) -> pd.DataFrame:
            return pd.read_csv(io.StringIO(self.figure(figure).answers))

        data = Data(self.source, self.style, self.conditions, read)
        return judgements_of(replace(self.claims, claims=chosen), data)

    def save(self, results: str | Path | None, figures: str | Path | None) -> None:
        """Write tables and pictures of all figures, each as `StudyFigure.save` does.

        Args:
            results: the folder of results; None: write no tables.
            figures: the folder of figures; None: write no pictures.

        """
        if results is not None or figures is not None:
            for name in self.figures:
                self.figure(name).save(results, figures)


@dataclass(frozen=True)
class StudyFigure:
    """A computed figure or table of a study."""

    study: Study
    name: str
    figure: Figure
    """Definition of the figure in the study's file of figures."""
    computed: Computed

    @property
    def title(self) -> str:
        """The figure's title."""
        return self.figure.title

    @property
    def caption(self) -> str:
        """The figure's caption."""
        return self.figure.caption

    @cached_property
    def csv(self) -> str:
        """The table that `save` writes as `STUDY/FIGURE.csv`, as text."""
        panels = self.figure.panels if isinstance(self.figure, LineFigure) else {}
        label = self.study.style.label
        labels = {n: {s.key: label(s) for s in panel.series} for n, panel in panels.items()}
        return published(self.computed, labels)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The figure's table; for line figures with `panel`, `series`, `origin`, `x` and `y`."""
        return pd.read_csv(io.StringIO(self.csv))

    def draw(self) -> Picture:
        """Draw the figure as the report shows it.

        Raises:
            TypeError: the figure is a table.

        """
        theme.apply(self.study.style)
        landmarks, outside_of = self.computed.landmarks, outside(self.computed)
        data, style = FigureData(self.csv, landmarks, outside_of), self.study.style
        match self.figure:
            case LineFigure():
                return lines.draw(self.figure, data, style)
            case LadderFigure():
                return diagrams.draw_ladder(self.figure, data, style)
            case TopologyFigure():
                return diagrams.draw_topology(self.figure, data, style)
        raise TypeError(f"a {self.figure.kind} is not drawn")

    @cached_property
    def pictures(self) -> dict[str, bytes]:
        """The picture as PDF and PNG files, by suffix; empty for a table."""
        return {} if isinstance(self.figure, TableFigure) else theme.rendered(self.draw())

    def save(self, results: str | Path | None, figures: str | Path | None) -> None:
        """Write the table below `results` and the picture below `figures`; None skips a folder.

        `STUDY/FIGURE.csv` has the columns for readers. `STUDY/answers/FIGURE.csv` has all columns,
        and a file next to it has the landmarks (named positions) of the curves. A figure in another
        setting than the drawn one has no picture: only claims read it.
        """
        study = self.study.source.name
        if results is not None:
            write_answers(self.computed, answers_path(Path(results), study, self.name))
            write_text(Path(results, study, f"{self.name}.csv"), self.csv)
        if figures is not None and self._is_drawn:
            theme.keep(self.pictures, Path(figures, study, self.name))

    def show(self) -> None:
        """Show title, picture or table, and caption in a notebook.

        Of a figure in another setting than the drawn one, only title and caption are shown.
        """
        from IPython.display import Markdown, display

        display(Markdown(f"### {self.name}: {self.title}"))
        if not self._is_drawn:
            display(Markdown("Only claims read this figure, so that it is not drawn."))
        elif self.pictures:
            display(theme.shown(self.pictures, self.title))
        else:
            whole = pd.read_csv(io.StringIO(self.csv), dtype_backend="numpy_nullable")
            display(whole.astype(object).fillna(""))
        display(Markdown(f"{self.caption} Numbers: `{self.name}.csv`."))

    @property
    def _is_drawn(self) -> bool:
        return self.name in as_drawn(self.study.source.figures)

    @cached_property
    def answers(self) -> str:
        """The table with all columns that `save` writes as `STUDY/answers/FIGURE.csv`, as text."""
        return csv_text(self.computed.columns, self.computed.rows)


def _verdicts_text(
    found: list[Judgement], released: Mapping[tuple[str, str], dict[str, str]]
) -> str:
    """Return a claim and its verdicts as Markdown, without verdicts that could not be otherwise.

    `released` are verdicts of the reference results, for which measurements are missing here.
    """
    claim = found[0].claim
    lines = [f"> {claim.statement} ({claim.where})", ""]
    for one in found:
        if one.verdict == "untestable":
            continue
        row = released.get((claim.id, one.evidence))
        if not one.outcomes[0].unmeasured:
            lines.append(verdict_sentences(one))
        elif row is not None:
            lines.append(recorded_sentences(one, row))
        else:
            lines.append(f"- {EVIDENCE_TITLES[one.evidence]}: not measured, so no verdict")
    return "\n".join([*lines, *(["", f"What was tested: {claim.note}."] if claim.note else [])])


def _released(source: str) -> dict[tuple[str, str], dict[str, str]]:
    """Return the rows of the released ledger on a study, by id of the claim and evidence."""
    contents = REFERENCE.with_name(CELLS)
    if not contents.is_file():
        return {}
    ledger = "results/claims.csv"
    columns = read_contents(contents, [ledger])[ledger]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {(row["id"], row["evidence"]): row for row in rows if row["source"] == source}
