"""Schema of a study's file of figures, `config/figures/STUDY.yaml`.

A figure is data: base scenarios, what is varied, and which models, engines or curves are drawn.
Under `set`, a figure changes keys of a scenario. A text that begins with `=` is an arithmetic
expression. Under `set` it may use the sweep's variable. In marks (lines, arrows, texts, areas) it
may use a curve's landmarks, which are named positions on the curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from tcpgoodput.configuration.problems import WrongKey
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.types import PRINTABLE, Identifier, Part, Text, whole
from tcpgoodput.studies.expressions import is_expression
from tcpgoodput.studies.quantities import COUNTED, QUANTITIES

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
DottedName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_.]*$", max_length=120)]
QuantityName = Literal[tuple(QUANTITIES)]  # type: ignore[valid-type]
MeasuredName = Literal[(*QUANTITIES, *COUNTED)]  # type: ignore[valid-type]
EngineName = Literal["packet", "ns2", "linux"]
MacroName = Annotated[str, Field(pattern=r"^[A-Z][A-Za-z]*$", max_length=60)]
Changes = Annotated[
    dict[str, Any],
    Field(description="scenario keys such as path.rate_bps or loss, with their new values"),
]


def _placed(value: float | str) -> float | str:
    if isinstance(value, str) and not is_expression(value):
        raise ValueError(f"must be a number, or an expression after =; is {value!r}")
    return value


Position = Annotated[
    float | str,
    Field(description="a number, or an expression with landmarks such as '= SD + L'"),
    AfterValidator(_placed),
]
Unit = Annotated[str, Field(max_length=40), PRINTABLE]
Points = Annotated[int, Field(ge=2, le=100_000), BeforeValidator(whole)]
Packets = Annotated[int, Field(ge=1000, le=10**9), BeforeValidator(whole)]
Limits = Annotated[list[float], Field(min_length=2, max_length=2)]


class PointCount(Part):
    """The number of points of a sweep at each precision."""

    draft: Points
    paper: Points


class Grid(Part):
    """The values of a sweep: a regular grid, listed values, or the union of both."""

    start: float | None = Field(None, description="first value of the grid")
    stop: float | None = Field(None, description="last value of the grid")
    points: PointCount | Points | None = Field(
        None, description="number of grid points, or {draft: n, paper: m}"
    )
    scale: Literal["linear", "log"] = Field("linear", description="spacing of the grid")
    listed: list[float] = Field(default_factory=list, description="values in addition to the grid")

    @model_validator(mode="after")
    def _has_values(self) -> Grid:
        given = [self.start is not None, self.stop is not None, self.points is not None]
        if any(given) and not all(given):
            raise ValueError("a grid needs start, stop and points")
        if not any(given) and not self.listed:
            raise ValueError("needs a grid (start, stop, points) or listed values")
        if self.scale == "log" and any(given) and not (self.start > 0 and self.stop > 0):  # type: ignore[operator]
            raise ValueError("a log grid needs start and stop above 0")
        return self


class Sweep(Part):
    """The variable along a panel's x axis, and the scenario's keys that it sets."""

    variable: Name = Field(description="name of the x value in expressions")
    values: Grid
    measured: Grid | None = Field(
        None,
        description="values at which engines measure at precision paper; default: 13 values from "
        "start to stop, or the listed values if there is no grid; at precision draft 5 of these "
        "values",
    )
    recorded: Grid | None = Field(
        None,
        description="values at which ns2 and linux measure; default: the values at which "
        "packet measures",
    )
    measured_packets: Packets | None = Field(
        None,
        description="approximate number of packets that an engine sends at each value at "
        "precision paper; default: a million",
    )
    measured_half_width: Annotated[float, Field(ge=0.002, le=0.5)] | None = Field(
        None,
        description="half-width of the 95 % interval, relative to the goodput, at which the "
        "simulator ends a measurement at precision paper, or at about measured_packets; default: "
        "it does not end before measured_packets",
    )
    recorded_packets: Packets | None = Field(
        None, description="approximate number of packets that ns2 sends; default: measured_packets"
    )
    recorded_runs: Annotated[int, Field(ge=2, le=100), BeforeValidator(whole)] | None = Field(
        None,
        description="number of runs of ns2 and linux at each value; default: chosen by the engine",
    )
    set: Changes = Field(default_factory=dict)


class Axis(Part):
    """An axis: its label, unit, scale and limits."""

    label: Text
    unit: Unit = Field(
        "", description="shown behind the label and written to the data; '' for a pure number"
    )
    scale: Literal["linear", "log"] = "linear"
    limits: Limits | None = Field(
        None, description="lowest and highest value shown; null = range of the data"
    )
    ticks: list[float] | None = Field(None, description="positions of the ticks; null = automatic")
    tick_labels: list[Annotated[str, PRINTABLE]] | None = Field(
        None, description="a label for each tick; null = its value"
    )

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        if self.limits and not self.limits[0] < self.limits[1]:
            raise ValueError("limits must rise: the first below the second")
        if self.limits and self.scale == "log" and self.limits[0] <= 0:
            raise ValueError("a log axis needs limits above 0")
        if self.tick_labels is not None and len(self.tick_labels) != len(self.ticks or ()):
            raise ValueError("tick_labels needs ticks, one for each label")
        return self


class Series(Part):
    """One line (a model, a curve) or set of markers (an engine)."""

    id: Name | None = Field(
        None,
        description="id of the series in claims and numbers; default: the name of its model, "
        "engine or curve, which must then be the panel's only series of that name",
    )
    model: DottedName | None = Field(None, description="a model's name")
    engine: EngineName | None = Field(None, description="an engine's name")
    curve: DottedName | None = Field(None, description="a curve's name")
    options: dict[str, Any] = Field(
        default_factory=dict, description="arguments of the curve", alias="with"
    )
    label: Text | None = Field(
        None, description="label in the legend; default: the label in config/style.yaml"
    )
    group: Text | None = Field(
        None,
        description="name of the line's colour in the legend (`legend: colours`) or at the line "
        "(`legend: names`); default: the line's label",
    )
    style: DottedName | None = Field(
        None, description="key in config/style.yaml; default: the model or engine"
    )
    line: Literal["solid", "dashed", "dotted", "dashdot"] | None = Field(
        None, description="line style; default: the one in config/style.yaml"
    )
    set: Changes = Field(default_factory=dict)
    profile: (
        Literal["newreno", "newreno-timestamps", "sack-no-probes", "modern", "modern-no-undo"]
        | None
    ) = Field(
        None,
        description="profile of Linux kernel settings; default: the profile of the "
        "scenario's TCP variant",
    )
    from_start: bool = Field(
        False,
        description="true: goodput of Linux from its first packet on, slow start included, as in "
        "the measurement of a transfer",
    )
    capacity_as: Literal["link", "cross-traffic"] = Field(
        "link",
        description="what varies the capacity in ns-2: the rate of the link, or cross-traffic with "
        "priority, which takes the rest of `path.rate_bps` in packets of 400 bits",
    )
    equations: Literal["printed", "corrected"] | None = Field(
        None, description="use printed or corrected equations; default: as in the settings"
    )
    reduced: bool = Field(False, description="true: apply reductions to the model if necessary")
    loss_of: EngineName | None = Field(
        None,
        description="an engine of the panel. The model is evaluated with independent loss whose "
        "probability is the engine's number of fast retransmits per packet sent. A model of "
        "hand-offs is evaluated with hand-offs that lose one packet, as often as the engine has "
        "fast retransmits",
    )
    measured_rtt: bool = Field(
        False,
        description="true, with loss_of: the model's round-trip time is the mean that the engine "
        "measured, including queueing",
    )
    stands_for: DottedName | None = Field(
        None,
        description="id of the panel's series of ns-2 or Linux that this one simulates with a "
        "kernel's own sender (`tcp.stack`); both are compared at each point",
    )
    against: DottedName | None = Field(
        None,
        description="id of a series of the panel; a small panel below shows the difference from "
        "that series in per cent",
    )
    shown: bool = Field(
        True,
        description="false: the series is in the figure's table, where claims and numbers find it, "
        "but not in the picture",
    )

    @model_validator(mode="after")
    def _names_one(self) -> Series:
        if sum(x is not None for x in (self.model, self.engine, self.curve)) != 1:
            raise ValueError("a series names exactly one of model, engine, curve")
        if self.options and self.curve is None:
            raise ValueError("`with` holds the arguments of a curve")
        if self.loss_of and self.model is None:
            raise ValueError("loss_of is for models")
        if self.measured_rtt and self.loss_of is None:
            raise ValueError("measured_rtt needs loss_of: the engine that measured it")
        if self.stands_for and self.engine != "packet":
            raise ValueError("stands_for is for engine: packet")
        if (self.profile or self.from_start) and self.engine != "linux":
            raise ValueError("profile and from_start are for engine: linux")
        if self.capacity_as != "link" and self.engine != "ns2":
            raise ValueError("capacity_as is for engine: ns2")
        return self

    @property
    def name(self) -> str:
        """The name of the model, engine or curve that the series shows."""
        return str(self.model or self.engine or self.curve)

    @property
    def marker(self) -> str | None:
        """The key of the markers' style among the engines in the style file; None for a line."""
        return f"ns2-{self.capacity_as}" if self.capacity_as != "link" else self.engine

    @property
    def key(self) -> str:
        """The id of the series in its panel; by default the name of its model, engine or curve."""
        return self.id or self.name


class HorizontalLine(Part):
    """A horizontal line at a level, labelled at its right end."""

    kind: Literal["hline"]
    y: Position
    label: Text | None = None


class VerticalLine(Part):
    """A vertical line at a position on the x axis, labelled at its top."""

    kind: Literal["vline"]
    x: Position
    label: Text | None = None


class HorizontalArrow(Part):
    """A horizontal double arrow between two x positions, labelled in the middle."""

    kind: Literal["harrow"]
    start: Position
    stop: Position
    y: Position
    label: Text


class VerticalArrow(Part):
    """A vertical double arrow between two levels, labelled at its side."""

    kind: Literal["varrow"]
    start: Position
    stop: Position
    x: Position
    label: Text


class Note(Part):
    """A text at a position in the panel."""

    kind: Literal["text"]
    x: Position
    y: Position
    label: Text


class Area(Part):
    """The area under a series between two x positions, with its label inside."""

    kind: Literal["area"]
    series: DottedName | None = Field(
        None, description="id of the series; default: the panel's first series"
    )
    start: Position
    stop: Position
    above: Position = Field(0.0, description="lower edge of the area")
    below: Position | None = Field(
        None, description="upper edge of the area at x where the series is above this level"
    )
    label: Text | None = None


Mark = Annotated[
    HorizontalLine | VerticalLine | HorizontalArrow | VerticalArrow | Note | Area,
    Field(discriminator="kind"),
]


PanelName = Annotated[
    str | None,
    Field(
        exclude=True,
        description="panel of which this one is a changed copy: a panel of the figure, or "
        "FIGURE/PANEL; keys that are equal are left out",
    ),
]


class Panel(Part):
    """One panel of a figure: axes, with the series and marks drawn in them."""

    like: PanelName = None
    without: list[DottedName] | None = Field(
        None, exclude=True, description="with like: ids of series that are not copied"
    )
    title: Text | None = None
    shown: bool = Field(
        True, description="false: the panel is in the figure's table, but not in the picture"
    )
    scenario: Identifier | None = Field(None, description="base scenario of the panel's series")
    set: Changes = Field(default_factory=dict)
    sweep: Sweep | None = Field(
        None, description="needed if the panel has series of models or engines"
    )
    quantity: MeasuredName | None = Field(
        None,
        description="quantity that models predict and engines measure; models have no timeouts, "
        "losses or round trips",
    )
    x: Axis
    y: Axis
    series: Annotated[list[Series], Field(min_length=1, max_length=40)]
    marks: list[Mark] = Field(default_factory=list)
    frame: bool = Field(True, description="false: a schematic drawing, whose axes have no ticks")
    legend: bool = Field(
        False, description="true: the legend is in the panel, not below the figure"
    )
    off_limits: Limits | None = Field(
        None,
        description="lowest and highest value of the small panel with differences (`against`), in "
        "per cent",
    )

    @model_validator(mode="after")
    def _complete(self) -> Panel:
        swept = any(s.curve is None for s in self.series)
        if swept and (self.sweep is None or self.quantity is None or self.scenario is None):
            raise ValueError("series of models and engines need scenario, sweep and quantity")
        models = [s.model for s in self.series if s.model]
        if self.quantity in COUNTED and models:
            raise ValueError(f"{self.quantity} is measured; the model {models[0]} has no value")
        return self


Take = Literal["min", "max", "argmin", "argmax", "first", "last", "at", "mean", "crossing"]


class Reduction(Part):
    """A rule that reduces a series to a line or a number, for the report's text or for a claim."""

    panel: Name | None = Field(None, description="name of the panel; default: the only panel")
    minus: DottedName | float | None = Field(
        None, description="id of a series, or a level, to subtract first"
    )
    divided_by: DottedName | None = Field(None, description="id of a series to divide by first")
    absolute: bool = Field(
        False, description="true: take absolute values after the subtraction and the division"
    )
    of_own: Literal["first", "last"] | None = Field(
        None, description="first divide each series by its own value at its first or last point"
    )
    over: Limits | None = Field(None, description="range of x that is used; default: all x")
    times: float = Field(1.0, description="factor, e.g. 100 for per cent")
    take: Take | None = Field(None, description="how the line is reduced to one number")
    at: float | None = Field(None, description="x, for take: at (linear interpolation)")

    @model_validator(mode="after")
    def _position(self) -> Self:
        if (self.take == "at") != (self.at is not None):
            raise ValueError("`at` goes with take: at")
        if self.take == "crossing" and self.minus is None:
            raise ValueError("take: crossing needs `minus`: the series or level that is crossed")
        return self


class Number(Reduction):
    """A number that the report quotes, computed from one of the figure's series."""

    macro: MacroName = Field(
        description="name of the number in the report, after the name of the "
        "study; e.g. WorstUtilisation"
    )
    series: DottedName = Field(description="id of the series")
    take: Take = Field(description="how the line is reduced to one number")
    digits: Annotated[int, Field(ge=1, le=8), BeforeValidator(whole)] = Field(
        3, description="significant digits"
    )


class _Figure(Part):
    like: Name | None = Field(
        None,
        exclude=True,
        description="figure of which this one is a changed copy; keys that are equal are left "
        "out, except title, caption and numbers, which are not copied",
    )
    title: Text = Field(description="short title")
    caption: Text = Field(
        description="caption of at most 60 words that can be read alone: content and parameters"
    )
    ours: bool = Field(
        False,
        description="true: the figure is an addition by this project, not a figure of the study",
    )


class LineFigure(_Figure):
    """Panels of lines and markers."""

    kind: Literal["lines"]
    panels: Annotated[dict[Name, Panel], Field(min_length=1, max_length=9)]
    columns: Annotated[int, Field(ge=1, le=4), BeforeValidator(whole)] = Field(
        2, description="panels side by side"
    )
    panel_height_cm: Annotated[float, Field(gt=1, le=20)] = 5.0
    share_y: bool = False
    facets: bool = Field(
        False,
        description="true: draw a panel as several panels with the same axes, one for the models "
        "and one for each engine, whose markers are joined",
    )
    side_by_side: bool = Field(
        False, description="true: markers of different series at the same x are drawn side by side"
    )
    legend: Literal["figure", "colours", "names", "panel", "none"] = Field(
        "figure",
        description="below the figure; colours: below, with an entry for each colour (the label "
        "of its line) and each kind of marker; names: at the lines, with an entry below for each "
        "kind of marker; in each panel; or none",
    )
    numbers: list[Number] = Field(default_factory=list)


class LadderFigure(_Figure):
    """Packets and ACKs between sender and receiver over time, from the simulator's senders."""

    kind: Literal["ladder"]
    panels: Annotated[dict[Name, LadderPanel], Field(min_length=1, max_length=4)]


class LadderPanel(Part):
    """One exchange of packets and ACKs in a ladder diagram."""

    like: PanelName = None
    title: Text | None = None
    scenario: Identifier
    set: Changes = Field(default_factory=dict)
    table: DottedName = Field(description="name of the table of packets that is drawn")
    options: dict[str, Any] = Field(default_factory=dict, alias="with")


class TopologyFigure(_Figure):
    """A block diagram of a scenario's path."""

    kind: Literal["topology"]
    scenario: Identifier
    set: Changes = Field(default_factory=dict)
    capacity_as: Literal["link", "cross-traffic"] = Field(
        "link",
        description="draw a varying capacity as the rate of the link, or as cross-traffic "
        "with priority",
    )
    bottleneck: Text = Field("bottleneck", description="name of the bottleneck's node")


class TableFigure(_Figure):
    """A table of constants, or of a sender's reactions ACK by ACK."""

    kind: Literal["table"]
    table: DottedName = Field(description="name of the table's function")
    scenarios: list[Identifier] = Field(default_factory=list)
    set: Changes = Field(default_factory=dict)
    options: dict[str, Any] = Field(default_factory=dict, alias="with")
    headings: dict[str, Text] = Field(
        default_factory=dict,
        description="headings by column; columns that are not listed here "
        "are left out of the table",
    )


Figure = Annotated[
    LineFigure | LadderFigure | TopologyFigure | TableFigure, Field(discriminator="kind")
]


class Variation(Part):
    """A base scenario that is defined as a copy of another one with some keys changed."""

    like: Identifier = Field(description="id of the base scenario to change, defined above")
    title: Text | None = Field(None, description="default: the title of the changed scenario")
    set: Changes = Field(default_factory=dict)


class LeftOpen(Part):
    """Something about its figures that the study's text does not say."""

    what: Text = Field(description="what is left open, such as the smallest timeout")
    where: Text = Field(description="section, figure or page with the words")
    words: Text = Field(description="the study's words that leave it open, or what is missing")


class Choice(Part):
    """A choice of everything that the text leaves open: one setting of a group of figures."""

    title: Text = Field(description="this choice in words, such as: a smallest timeout of 1 s")
    set: Changes = Field(
        default_factory=dict,
        description="scenario keys that this choice changes, after those of panel, sweep and "
        "series; an expression after = may use the sweep's variable",
    )
    set_in: dict[Name, Changes] = Field(
        default_factory=dict,
        description="scenario keys that this choice changes in single figures, by figure, after "
        "`set`",
    )
    set_models: Changes = Field(
        default_factory=dict,
        description="scenario keys that this choice changes for models only, after the others",
    )
    equations: Literal["printed", "corrected"] | None = Field(
        None, description="use printed or corrected equations; default: those of the series"
    )
    models: dict[DottedName, DottedName] = Field(
        default_factory=dict,
        description="models that this choice replaces, each with the model that it shows instead",
    )
    of: Literal["models", "engines"] | None = Field(
        None, description="kind of series that this choice changes; default: both"
    )
    series: Annotated[list[DottedName], Field(min_length=1)] | None = Field(
        None, description="ids of the series that this choice changes; default: all series"
    )
    numbers: dict[Name, list[Number]] = Field(
        default_factory=dict,
        description="numbers that the report quotes of the figures in this setting, by figure",
    )

    @model_validator(mode="after")
    def _changes_models(self) -> Choice:
        if self.set_models and self.of == "engines":
            raise ValueError("set_models changes models, and `of: engines` excludes them")
        return self


class Before(Part):
    """The setting in which a group of figures was drawn before its numbers were known."""

    setting: Name = Field(description="name of one of the other settings")
    why: Text = Field(description="reason for that setting, and for the change")


class Settings(Part):
    """Settings that the text leaves open for a group of figures, which are chosen together."""

    figures: Annotated[list[Name], Field(min_length=1)] = Field(
        description="the study's figures that are all drawn in the same setting"
    )
    open: Annotated[list[LeftOpen], Field(min_length=1)] = Field(
        description="what the text leaves open"
    )
    drawn: Text = Field(
        description="the setting in which the figures above are drawn, in words: the one under "
        "which most of the study's sentences about them hold"
    )
    others: Annotated[dict[Name, Choice], Field(min_length=1)] = Field(
        description="the other settings by name, in the order in which the text suggests them; "
        "figure F in the setting S is computed and drawn as F_S"
    )
    before: Before | None = Field(
        None,
        description="the setting in which the figures were drawn before the sentences were counted",
    )


class SourceFigures(Part):
    """Content of a file of figures: a study, its base scenarios, its figures and tables."""

    source: Name = Field(
        description="short name of the study, and name of the folder of its results and figures"
    )
    title: Text = Field(description="the study's title")
    citation: Text | None = Field(
        None, description="key in paper/references.bib; a study with `ours: true` needs none"
    )
    ours: bool = Field(
        False, description="true: a study of this project, not a published study of wireless links"
    )
    scenarios: dict[Identifier, dict[str, Any]] = Field(
        description="base scenarios by id: keys of a scenario without id; or "
        "{like: ID, title, set} for a changed copy"
    )
    settings: dict[Name, Settings] = Field(
        default_factory=dict,
        description="groups of figures by name, with the settings that the study's text leaves "
        "open for them",
    )
    figures: Annotated[dict[Name, Figure], Field(min_length=1)]

    @model_validator(mode="after")
    def _a_published_study_is_cited(self) -> Self:
        if self.citation is None and not self.ours:
            raise WrongKey(("citation",), "is required, unless the study is your own (ours: true)")
        return self

    @model_validator(mode="after")
    def _numbers_have_names_of_their_own(self) -> Self:
        named: dict[str, str] = {}
        numbers = [(name, getattr(figure, "numbers", ())) for name, figure in self.figures.items()]
        for settings in self.settings.values():
            for key, choice in settings.others.items():
                numbers += [(f"{name}_{key}", own) for name, own in choice.numbers.items()]
        for name, own in numbers:
            for number in own:
                if number.macro in named:
                    raise ValueError(
                        f"two numbers have the macro {number.macro}: "
                        f"of the figures {named[number.macro]} and {name}"
                    )
                named[number.macro] = name
        return self


@dataclass(frozen=True)
class Source:
    """A study's figures, and the base scenarios that the figures use."""

    figures: SourceFigures
    scenarios: dict[str, Scenario]

    @property
    def name(self) -> str:
        """The short name of the study."""
        return self.figures.source

    def is_ours(self, figure: Figure) -> bool:
        """Return whether a figure is an addition by this project, not one of the study."""
        return self.figures.ours or figure.ours
