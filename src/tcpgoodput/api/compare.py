"""`tcpgoodput.compare`: all models compared with the packet simulation of one scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from tcpgoodput.api.load import Given, known_conditions, known_models, load
from tcpgoodput.api.simulate import Measurement
from tcpgoodput.comparison.answers import IN_DOMAIN, comparison_record, simulation_record
from tcpgoodput.comparison.census.expected import Advice, advice_for, text_of
from tcpgoodput.comparison.compare import ORDER, nearest, simulated, times
from tcpgoodput.configuration.units import in_column
from tcpgoodput.drawing.theme import plain_log_ticks
from tcpgoodput.models import MODELS
from tcpgoodput.project.settings import style_at_hand
from tcpgoodput.scenario import Scenario


@dataclass(frozen=True, repr=False)
class Comparison:
    """The predictions of all models for a scenario, and the goodput that was simulated."""

    scenario: Scenario
    measurement: Measurement | None
    """The simulated goodput; None if the simulator finds no goodput (`reason` says why), for
    instance because nothing is delivered: test it before you read its attributes."""
    predictions: pd.DataFrame
    """One row for each model as in `predict`, with `log_error`, the value of ln(model / simulated).

    `table` shows the factor model / simulated instead of its logarithm.
    """
    nearest: str | None
    """Name of the model in domain whose prediction is closest to the simulated goodput; None if no
    model is in domain. This model is known only after the simulation, so its name is no
    recommendation."""
    advice: Advice
    """Models that are recommended without a simulation of the scenario; see `advise`."""
    reason: str | None
    """Explanation if the measurement is missing or less reliable than usual, else None."""

    @property
    def table(self) -> pd.DataFrame:
        """The table for readers: a row for the simulation, then the models sorted by status."""
        rows = self.predictions.assign(
            title=[MODELS[name].title for name in self.predictions["name"]],
            order=[ORDER.index(status) for status in self.predictions["status"]],
        ).sort_values("order", kind="stable")
        shown = pd.DataFrame(
            {
                "goodput, kbit/s": rows["goodput_bps"].astype(float).to_numpy() / 1e3,
                "model / simulated": np.exp(rows["log_error"].astype(float).to_numpy()),
                "status": rows["status"].to_numpy(),
                "why": [
                    ": ".join(part for part in parts if isinstance(part, str))
                    for parts in rows[["reduction", "reason"]].to_numpy()
                ],
            },
            index=pd.Index(rows["name"], name="model"),
        )
        if self.measurement is None:
            return shown
        goodput_bps, half_bps = self.measurement.goodput_bps, self.measurement.ci95_bps
        interval = "" if half_bps is None else f"± {100 * half_bps / goodput_bps:.2g} %"
        own = pd.DataFrame(
            [[goodput_bps / 1e3, np.nan, "measured", interval]],
            columns=shown.columns,
            index=["packet simulator"],
        )
        return pd.concat([own, shown]).rename_axis("model")

    def plot(self) -> Axes:
        """Draw each model's prediction relative to the simulated goodput; pale: out of domain.

        The grey band is the 95 % interval of the simulation.

        Raises:
            ValueError: the simulator finds no goodput, or no model has a value.

        """
        if self.measurement is None:
            raise ValueError(f"{self.scenario.id} has no simulated goodput: {self.reason}")
        rows = self.table.drop(index="packet simulator").dropna(subset="model / simulated")
        if rows.empty:
            raise ValueError(f"no model has a value on {self.scenario.id}")
        style = style_at_hand()
        _, axes = plt.subplots(figsize=(6, 1 + 0.28 * len(rows)))
        half = (self.measurement.ci95_bps or 0) / self.measurement.goodput_bps
        axes.axvspan(1 - half, 1 + half, color="0.8", linewidth=0)
        axes.axvline(1, color="0.4", linewidth=0.8)
        for y, (name, row) in enumerate(rows.iterrows()):
            pale = 1.0 if row["status"] in IN_DOMAIN else 0.35
            colour = style.model(str(name)).colour
            axes.plot(row["model / simulated"], y, "o", color=colour, alpha=pale)
        axes.set_yticks(range(len(rows)), [style.model(str(name)).label for name in rows.index])
        axes.set(xscale="log", xlabel="model / simulated goodput", title=self._heading())
        axes.invert_yaxis()
        plain_log_ticks(axes, "x")
        return axes

    def __repr__(self) -> str:
        return "\n".join([self._heading(), self._formatted().to_string(na_rep=""), *self._words()])

    def _repr_html_(self) -> str:
        with pd.option_context("display.max_colwidth", None):  # do not truncate the reasons
            table = self._formatted().to_html(na_rep="", border=0, classes="explained")
        words = "".join(f"<p>{escape(sentence)}</p>" for sentence in self._words())
        return f"<p><b>{escape(self._heading())}</b></p>{table}{words}"

    def _formatted(self) -> pd.DataFrame:
        table = self.table
        table["goodput, kbit/s"] = in_column(table["goodput, kbit/s"].replace(np.nan, None))
        ratios = table["model / simulated"]
        table["model / simulated"] = ["" if np.isnan(value) else times(value) for value in ratios]
        return table

    def _heading(self) -> str:
        return f"{self.scenario.id}: {self.scenario.title}"

    def _words(self) -> list[str]:
        """Return the sentences that are shown below the table of predictions."""
        note = [f"Note: {self.reason}."] if self.reason else []
        return [*note, nearest(self.nearest, self.measurement is not None), *text_of(self.advice)]


def compare(
    scenario: Given,
    equations: str = "corrected",
    seed: int = 1,
    models: str | Sequence[str] | None = None,
) -> Comparison:
    """Compare the predictions of models with the goodput that the packet simulator measures.

    Args:
        scenario: a scenario, the path of its file, or its keys as a dict.
        equations: `printed` uses the equations as published, `corrected` repairs their misprints.
        seed: seed of all random numbers.
        models: one name or several, as `models()` lists them; None: all models.

    Returns:
        A `Comparison`: the measurement, a table of predictions, and the nearest model in domain.

    Raises:
        ConfigurationError: the scenario is invalid; the message lists all problems.
        ValueError: a model is unknown, `equations` is neither of the two names, or the seed is
            negative.

    Example:
        >>> import tcpgoodput
        >>> found = tcpgoodput.compare("config/scenarios/s02-independent-1e-2.yaml")
        >>> found.nearest in set(found.predictions["name"])
        True
        >>> found.table.index[0], found.measurement.replications
        ('packet simulator', 20)

    """
    conditions, loaded = known_conditions(equations, seed), load(scenario)
    measured = simulated(loaded, conditions)
    known = simulation_record(loaded, measured)
    found = comparison_record(loaded, conditions, known, known_models(models))
    return Comparison(
        loaded,
        None if measured.goodput_pps is None else Measurement.over(loaded, measured),
        pd.DataFrame(found["models"]),
        found["nearest"],
        advice_for(loaded, found["models"]),
        found["reason"],
    )
