"""`tcpgoodput.study`: the figures of a study, computed from its file in `config/figures/`."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

import tcpgoodput.studies.sender_views  # noqa: F401  (registers curves and tables of the simulator)
from tcpgoodput.answers import Conditions
from tcpgoodput.api.load import configured
from tcpgoodput.configuration import refused
from tcpgoodput.configuration.problems import alternatives
from tcpgoodput.drawing import ladder, lines, theme, topology
from tcpgoodput.drawing.data import FigureData
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.measurements import Request, read_measurements
from tcpgoodput.engines.records import recorded
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.project.settings import DEFAULT_PATH, Configuration
from tcpgoodput.storage import csv_text, write_text
from tcpgoodput.studies.answering import Computed, Point, answers
from tcpgoodput.studies.checks import wrong_marks
from tcpgoodput.studies.open_settings import as_drawn
from tcpgoodput.studies.points import PointRequest, point_requests, requests_of
from tcpgoodput.studies.schema import (
    Figure,
    LadderFigure,
    LineFigure,
    Source,
    TableFigure,
    TopologyFigure,
)
from tcpgoodput.studies.store import answers_path, outside, published, write_answers
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
    if name not in found.sources:
        known = list(found.sources)
        raise ValueError(f"no study is called {name!r}{alternatives(name, known)}")
    table = Path(measurements) if measurements else None
    return study_of(found, name, read_measurements(table) if table and table.is_file() else {})


def study_of(configuration: Configuration, name: str, measured: Mapping[str, Measurement]) -> Study:
    """Return a study of a checked configuration.

    Args:
        configuration: the configuration.
        name: the name of the study.
        measured: the packet simulator's measurements, by the key of the request.

    """
    settings = configuration.settings
    file = configuration.path.parent / settings.figures / f"{name}.yaml"
    source = configuration.sources[name]
    return Study(source, configuration.style, settings.conditions, measured, str(file))


@dataclass(frozen=True)
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
    _computed: dict[str, StudyFigure] = field(default_factory=dict)

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
        if name not in self.figures:
            raise ValueError(f"no figure is called {name!r}{alternatives(name, self.figures)}")
        figure = self.source.figures.figures[name]
        points = [self._point(request) for request in self.point_requests(name)]
        try:
            computed = answers(self.source.scenarios, figure, self.conditions, points, self.known)
            _check_marks(figure, computed)
        except (ValueError, TypeError) as error:
            raise refused(self.file, f"figures.{name}", str(error)) from error
        self._computed[name] = StudyFigure(self, name, figure, computed)
        return self._computed[name]

    def _point(self, request: PointRequest) -> Point:
        key = request.key(self.conditions.precision, self.conditions.seed)
        where = (request.panel, request.series, request.engine, request.x)
        return Point(*where, key=key, scenario=request.scenario)


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
        return published(self._answers, self._labels)

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
                return ladder.draw(self.figure, data, style)
            case TopologyFigure():
                return topology.draw(self.figure, data, style)
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
    def _answers(self) -> str:
        return csv_text(self.computed.columns, self.computed.rows)

    @property
    def _labels(self) -> dict[str, dict[str, str]]:
        """The label of each series, by panel and id of the series; empty if there are no lines."""
        if not isinstance(self.figure, LineFigure):
            return {}
        return {
            name: {series.key: self.study.style.label(series) for series in panel.series}
            for name, panel in self.figure.panels.items()
        }


def _check_marks(figure: Figure, computed: Computed) -> None:
    """Check that the curves of each panel have the landmarks that the panel's marks name.

    A mark, such as an arrow, is placed at a landmark: a named position on a curve.

    Raises:
        ValueError: a mark names a landmark that the curves of its panel do not have.

    """
    for name, panel in figure.panels.items() if isinstance(figure, LineFigure) else ():
        for position, _, message in wrong_marks(panel, computed.landmarks[name]):
            raise ValueError(f"panel {name}, mark {position}: {message}")
