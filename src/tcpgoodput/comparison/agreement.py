"""Errors of each model's line in a figure against the measurements in the same panel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.errors import STATISTICS, errors_by, quantile, worst_by
from tcpgoodput.studies.answering import answers_path
from tcpgoodput.studies.schema import LineFigure, Panel, Series, Source
from tcpgoodput.style import Style

IMPAIRMENT_KEYS = ("loss.", "arq.", "spikes.", "handoffs.", "capacity.", "delay.", "tcp.ack_every.")
"""Beginnings of the keys of a scenario (impairments of the link, and packets per ACK), with a point
at their end, that must have the same values for a model's line and for the measurements with which
it is compared."""

LINE = [
    *("source", "figure", "panel", "line", "measured", "engine", "variant", "ours", "in_domain"),
    "at_measured_rate",
]
"""Columns that name a line and the measurements with which it is compared. `variant` is the TCP
variant of the sender in the measurements; `ours` is true for a figure that is an addition by this
project; `in_domain` is false if no point is in the model's domain, so that all points are compared;
`at_measured_rate` is true for a formula evaluated with the measured loss event rate."""

COLUMNS = [*LINE, *STATISTICS, "worst_%", "worst_at", "median_half_width_%"]
"""Columns of `agreement.csv`. `worst_at` is the x of the largest error, `worst_%`."""


def agreements(errors: pd.DataFrame) -> pd.DataFrame:
    """Return the table `agreement.csv`: statistics of the errors of each model's line."""
    groups = errors.groupby(LINE, sort=False)
    worst = worst_by(errors, LINE, "x").rename(columns={"x": "worst_at"})
    halves = groups["half_width"].agg(lambda own: 100 * quantile(own.to_numpy(float), 0.5))
    halves = halves.rename("median_half_width_%").reset_index()
    return errors_by(errors, LINE).merge(worst, on=LINE).merge(halves, on=LINE)[COLUMNS]


def line_errors(sources: Mapping[str, Source], style: Style, results: Path) -> pd.DataFrame:
    """Return the error of each model's line at each measured point in the same panel.

    The columns are `LINE`, `x`, `model`, `status`, `log_error`, ln(model / measured), and
    `half_width` of the measurement, relative to the measured value.
    """
    parts = [
        part
        for source in sources.values()
        for name, figure in source.figures.figures.items()
        if isinstance(figure, LineFigure)
        for part in _of_figure(
            style, source, name, figure, pd.read_csv(answers_path(results, source.name, name))
        )
    ]
    columns = [*LINE, "x", "model", "status", "log_error", "half_width"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def _of_figure(
    style: Style, source: Source, name: str, figure: LineFigure, rows: pd.DataFrame
) -> Iterator[pd.DataFrame]:
    seen = compared_points(figure.panels, rows)
    for panel_name, panel in figure.panels.items():
        for measured, series in _pairs(panel):
            pair = panel_name, measured.key, series.key
            if pair not in seen:
                continue
            points, in_domain = seen[pair]
            labels = style.label(series), style.label(measured)
            values = (
                *(source.name, name, panel_name, *labels, measured.engine),
                *(sender(source, panel, measured), source.is_ours(figure), in_domain),
                series.loss_of is not None,
            )
            yield pd.DataFrame(
                {
                    **dict(zip(LINE, values, strict=True)),
                    "x": points["x"],
                    "model": series.model,
                    "status": points["as"],
                    "log_error": np.log(points["model"] / points["y"]),
                    "half_width": (points["y_high"] - points["y_low"]) / 2 / points["y"],
                }
            )


def _pairs(panel: Panel) -> Iterator[tuple[Series, Series]]:
    """Yield each measured series of a panel with each line that is compared with it."""
    for measured in panel.series:
        if measured.engine:
            for series in compared(panel, measured):
                yield measured, series


def compared_points(
    panels: Mapping[str, Panel], rows: pd.DataFrame
) -> dict[tuple[str, str, str], tuple[pd.DataFrame, bool]]:
    """Return the measured points with which each line is compared; pairs without any are left out.

    By panel, measured series and line: the measured points in the model's domain, and True; or all
    points, and False if none is in the domain. The added columns `model` and `as` have the model's
    value at the same x, and its status. Values of x are compared exactly, because all are from one
    file.
    """
    pairs = pd.DataFrame(
        [
            (name, measured.key, series.key)
            for name, panel in panels.items()
            for measured, series in _pairs(panel)
        ],
        columns=["panel", "series", "line"],
    )
    positive = rows[rows["y"] > 0]
    answered = positive[["panel", "series", "x", "y", "status"]].set_axis(
        ["panel", "line", "x", "model", "as"], axis=1
    )
    # One merge for the whole figure: a merge takes milliseconds, however few its rows.
    every = positive.merge(pairs, on=["panel", "series"]).merge(answered, on=["panel", "line", "x"])
    found = {}
    for pair, seen in every.groupby(["panel", "series", "line"], sort=False):
        in_domain = seen[seen["as"].isin(IN_DOMAIN)]
        found[pair] = (seen, False) if in_domain.empty else (in_domain, True)
    return found


def sender(source: Source, panel: Panel, series: Series) -> str:
    """Return a series' TCP variant: set by the series or its panel, else that of the scenario."""
    changed = {**panel.set, **series.set}
    return str(changed.get("tcp.variant") or source.scenarios[str(panel.scenario)].tcp.variant)


def compared(panel: Panel, measured: Series) -> list[Series]:
    """Return the lines of models with which a measured series is compared.

    Every change of the scenario for the line must also apply to the measurement. The measurement
    may have further changes, but not of impairments or of `tcp.ack_every`. If there are lines with
    exactly the same changes as the measurement, only these lines are used. A formula evaluated with
    the loss event rate of an engine is compared with that engine only.
    """
    changes = {**panel.set, **measured.set}
    changes_of = {
        series.key: {**panel.set, **series.set}
        for series in panel.series
        if series.model and series.loss_of in (None, measured.engine)
    }
    lines = [
        key
        for key, own in changes_of.items()
        if own.items() <= changes.items()
        and not any(f"{key}.".startswith(IMPAIRMENT_KEYS) for key in changes.keys() - own.keys())
    ]
    same = [key for key in lines if changes_of[key] == changes]
    return [series for series in panel.series if series.key in (same or lines)]
