"""`tcpgoodput.sweep` and `plot`: models and simulation over values of a scenario's keys."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tcpgoodput.answers import MEASURED, Conditions, Prediction, Undefined
from tcpgoodput.api.load import (
    Given,
    changed_scenario,
    document_of,
    known,
    known_conditions,
    known_models,
    load,
)
from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.engines.base import PACKET
from tcpgoodput.engines.closeness import measured_closely
from tcpgoodput.models.predict import predictions
from tcpgoodput.project.settings import style_at_hand
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.controls import unit_of
from tcpgoodput.storage import as_published
from tcpgoodput.studies.answering import PUBLISHED
from tcpgoodput.studies.quantities import QUANTITIES
from tcpgoodput.style import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def sweep(
    scenario: Given,
    values: Mapping[str, Sequence[Any]],
    models: str | Sequence[str] | None = None,
    simulate: bool = True,
    quantity: str = "goodput_bps",
    equations: str = "corrected",
    seed: int = 1,
    precision: str = "paper",
) -> pd.DataFrame:
    """Evaluate models and the packet simulator over ranges of one or several keys of a scenario.

    Args:
        scenario: a scenario, the path of its file, or its keys as a dict.
        values: the keys to vary, such as `loss.probability`, each with a list of values. Numbers
            are rounded to 12 significant digits.
        models: one name or several, as `models()` lists them; None: all models.
        simulate: whether to measure every point with the packet simulator.
        quantity: the quantity on the y axis: goodput_bps, goodput_kbps, goodput_Mbps, goodput_kBps,
            goodput_MBps, goodput_pps, utilisation or transfer_s.
        equations: `printed` uses the equations as published, `corrected` repairs their misprints.
        seed: seed of all random numbers.
        precision: `paper` measures as precisely as `simulate`; `draft` takes a fraction of a second
            and has an error of a few per cent.

    Returns:
        One row for each point and series, with these columns: `panel`, `series` (the name of the
        model or engine), `origin` (model or packet), `x`, `x_unit`, `y`, `y_unit`, `y_low`,
        `y_high` (95 % interval), `n` (replications), `status` (a status of `predict`, or
        `measured`) and `reason`. y is NaN if a model has no value. x is the value of the first key.
        With several keys every combination of their values is a point, each key also has a column,
        and `panel` names the values of the other keys. `attrs["key"]` is the first key, and
        `attrs["quantity"]` the title of the quantity; `plot` labels its axes with them.

    Raises:
        ConfigurationError: a value makes the scenario invalid; the message names the value.
        ValueError: the values of a key are not a list, or a model, the quantity or the form of the
            equations is unknown.

    Example:
        >>> import tcpgoodput
        >>> link = "config/scenarios/s02-independent-1e-2.yaml"
        >>> values = {"loss.probability": [0.01, 0.04]}
        >>> rows = tcpgoodput.sweep(link, values, models=["mathis"], precision="draft")
        >>> rows[["series", "origin", "x", "n"]]
           series  origin     x  n
        0  mathis   model  0.01  1
        1  packet  packet  0.01  8
        2  mathis   model  0.04  1
        3  packet  packet  0.04  8

    """
    wanted, conditions = known_models(models), known_conditions(equations, seed, precision)
    shown = QUANTITIES[known("quantity", quantity, list(QUANTITIES))]
    for key, listed in values.items():
        if isinstance(listed, str) or not isinstance(listed, Iterable):
            raise ValueError(f"{key}: needs a list of values, such as [{listed!r}]")
    keys = {key: [_plain(value) for value in listed] for key, listed in values.items()}
    if not keys or not all(keys.values()):
        raise ValueError("a sweep needs a key with values, such as {'loss.probability': [0.01]}")
    document = document_of(load(scenario))
    points = [dict(zip(keys, point, strict=True)) for point in itertools.product(*keys.values())]
    # Make all scenarios first, so that an invalid one is refused before anything is computed.
    scenarios = [changed_scenario(document, point) for point in points]
    predicted = [predictions(model, scenarios, conditions) for model in wanted]
    rows = []
    for number, (point, point_scenario) in enumerate(zip(points, scenarios, strict=True)):
        place = _place(point_scenario, point)
        own = (of_model[number] for of_model in predicted)
        for answer in _answers(point_scenario, own, simulate, conditions):
            levels_pps = {name: answer.pop(name) for name in LEVELS}
            levels = {
                name: np.nan if pps is None else shown.at(point_scenario, pps)
                for name, pps in levels_pps.items()
            }
            # A transfer time falls as the goodput rises, which swaps the ends of its interval.
            low, high = sorted((levels.pop("y_low"), levels.pop("y_high")))
            rows.append(
                {**place, **answer, **levels, "y_low": low, "y_high": high, "y_unit": shown.unit}
            )
    own = list(keys) if len(keys) > 1 else []
    table = pd.DataFrame(rows, columns=[*PUBLISHED, "status", "reason", *own])
    # The columns are those of a figure's data, which name neither the key nor the quantity.
    table.attrs |= {"key": next(iter(keys)), "quantity": shown.title}
    return table


LEVELS = ("y", "y_low", "y_high")


def _answers(
    scenario: Scenario, predicted: Iterable[Prediction], simulate: bool, conditions: Conditions
) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and the simulator; `y` is the goodput in packets/s or None."""
    for answer in predicted:
        estimate = answer.estimate
        yield {
            "series": answer.name,
            "origin": "model",
            "status": answer.status,
            "reason": answer.reason,
            "n": estimate.replications if estimate else 1,
            "y": answer.goodput_pps,
            "y_low": estimate.low_pps if estimate else None,
            "y_high": estimate.high_pps if estimate else None,
        }
    if simulate:
        yield {"series": PACKET, "origin": PACKET, **_measured(scenario, conditions)}


def _measured(scenario: Scenario, conditions: Conditions) -> dict[str, Any]:
    try:
        found = measured_closely(scenario, conditions)
    except Undefined as undefined:
        nothing = dict.fromkeys(LEVELS)
        return {"status": "undefined", "reason": str(undefined), "n": 0, **nothing}
    levels = dict(zip(LEVELS, found.ends_pps, strict=True))
    return {"status": MEASURED, "reason": found.reason, "n": found.replications, **levels}


def _place(scenario: Scenario, point: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that locate a point: x, its unit, the panel, and the other swept keys."""
    key, *others = point
    panel = ", ".join(f"{other} = {point[other]}" for other in others) or scenario.id
    return {**point, "panel": panel, "x": point[key], "x_unit": unit_of(key)}


def _plain(value: Any) -> Any:
    """Convert a numpy scalar to a Python number, as configuration requires; round a float."""
    plain = value.item() if isinstance(value, np.generic) else value
    return as_published(plain) if isinstance(plain, float) else plain


def plot(rows: pd.DataFrame) -> Axes:
    """Draw the rows of a sweep: models as lines, measurements as markers with their intervals.

    Args:
        rows: the rows of one panel, as `sweep` returns them. A sweep of several keys has several
            panels; draw each one by `plot(rows[rows["panel"] == panel])`.

    Returns:
        The axes, labelled with the swept key and the quantity, both with their units. An axis is
        logarithmic if its values are positive and further apart the larger they are. If the rows
        have lost the `attrs` of the sweep, for example in a CSV file, the labels are "swept key"
        and "value".

    Raises:
        ValueError: the rows have several panels, or do not come from a sweep.

    Example:
        >>> import tcpgoodput
        >>> link = "config/scenarios/s02-independent-1e-2.yaml"
        >>> swept = {"loss.probability": [0.01, 0.04]}
        >>> rows = tcpgoodput.sweep(link, swept, models=["mathis", "pftk"], simulate=False)
        >>> axes = tcpgoodput.plot(rows)
        >>> [line.get_label() for line in axes.get_lines() if line.get_label()[0] != "_"]
        ['Mathis', 'PFTK goodput', 'Model out of domain']
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('loss.probability', 'goodput [bit/s]')

    """
    # Import these modules only here: a sweep does not need matplotlib, which loads slowly.
    import matplotlib.pyplot as plt
    from matplotlib.ticker import EngFormatter

    from tcpgoodput.drawing.theme import plain_log_ticks

    if missing := [name for name in ("series", "origin", "panel", "x", "y") if name not in rows]:
        raise ValueError(f"these are no rows of a sweep: they lack {', '.join(missing)}")
    panels = list(rows["panel"].unique())
    if len(panels) != 1:
        example = 'plot(rows[rows["panel"] == panel])'
        raise ValueError(f"rows of {len(panels)} panels; draw one at a time: {example}")
    _, axes = plt.subplots()
    draw_sweep(axes, rows)
    x_unit, y_unit = rows["x_unit"].iloc[0], rows["y_unit"].iloc[0]
    key, quantity = rows.attrs.get("key", "swept key"), rows.attrs.get("quantity", "value")
    axes.set(title=panels[0], xlabel=_named(key, x_unit), ylabel=_named(quantity, y_unit))
    for name, axis, unit in (("x", axes.xaxis, x_unit), ("y", axes.yaxis, y_unit)):
        if _is_geometric(rows[name]):
            axes.set(**{f"{name}scale": "log"})
            plain_log_ticks(axes, name)
        if unit == "bit/s":  # 20 M rather than 2e7
            axis.set_major_formatter(EngFormatter(sep=" "))
    return axes


def _is_geometric(values: pd.Series[float]) -> bool:
    """Return whether positive values span a decade, and their median is near the geometric mean."""
    numbers = pd.to_numeric(values, errors="coerce").dropna()
    if numbers.empty or numbers.min() <= 0 or numbers.max() < 10 * numbers.min():
        return False
    arithmetic = (numbers.min() + numbers.max()) / 2
    geometric = math.sqrt(numbers.min() * numbers.max())
    return bool(numbers.median() < (arithmetic + geometric) / 2)


def _named(name: str, unit: str) -> str:
    return name if unit == "1" else f"{name} [{unit}]"


FAINT = 0.35
"""Opacity of a model's line out of its domain."""


def draw_sweep(axes: Axes, rows: pd.DataFrame, style: Style | None = None) -> None:
    """Draw the rows of a sweep on given axes: models as lines, measurements as markers.

    The line of a model is faint where the scenario is out of the model's domain, and the legend
    says so. A model without any value is left out. The axes are not labelled.

    Args:
        axes: the matplotlib axes to draw on.
        rows: the rows of one panel, as `sweep` returns them.
        style: titles, colours and markers. None: those of `config/style.yaml`, or defaults outside
            the project.

    """
    from tcpgoodput.drawing.legends import OUTSIDE
    from tcpgoodput.drawing.theme import LINES

    style = style or style_at_hand()
    has_faint = False
    for name, own in rows.groupby("series", sort=False):
        x, y = own["x"].to_numpy(float), own["y"].to_numpy(float)
        if not np.isfinite(y).any():
            continue
        if (own["origin"] == "model").all():
            look = style.model(str(name))
            shown = {"color": look.colour, "linestyle": LINES[look.line]}
            in_domain = own["status"].isin(IN_DOMAIN).to_numpy()
            has_faint |= bool((np.isfinite(y) & ~in_domain).any())
            axes.plot(x, y, alpha=FAINT, **shown)
            axes.plot(x, np.where(in_domain, y, np.nan), label=look.label, **shown)
        else:
            look = style.palette.engines[str(name)]
            ends = [y - own["y_low"].to_numpy(float), own["y_high"].to_numpy(float) - y]
            axes.errorbar(
                x, y, yerr=ends, fmt=style.marker(str(name)), color=look.colour, label=look.label
            )
    if has_faint:
        axes.plot([], [], color=style.palette.lines["neutral"].colour, alpha=FAINT, label=OUTSIDE)
    axes.legend(frameon=False)
