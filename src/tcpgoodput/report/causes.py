"""Numbers behind causes that no figure draws: how often a window is cut, what a slip costs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.project.configuration import Configuration
from tcpgoodput.report.numbers import Quoted
from tcpgoodput.studies.store import answers_path

SWEPT = ("variable_capacity", "fig03", "simulated_b_0_1_c_max_t_m")
"""Study, figure and series: SACK on the smallest buffer, against the capacity's frequency."""

BAND_HZ = (0.1, 2.0)
"""Where the smallest buffer wastes most."""

SLIPPED = ("delay_spikes", "wide-5-percent")
"""Study and scenario: its faster link at its largest loss."""


def of_cuts(configuration: Configuration, results: Path) -> Iterator[Quoted]:
    """Yield how often the simulated window is cut in the band: per second, and in periods."""
    study, figure, series = SWEPT
    if study not in configuration.sources:
        return
    answers = pd.read_csv(answers_path(results, study, figure))
    markers = answers[(answers["series"] == series) & answers["x"].between(*BAND_HZ)]
    seen = markers.merge(pd.read_csv(results / "measurements" / f"{study}.csv"), on="key")
    cuts_hz = seen["loss_events"] / (seen["measured_s"] * seen["replications"])
    origin = f"measurements/{study}.csv, {figure}"
    told = {"SecondsPerCut": 1 / cuts_hz, "PeriodsPerCut": seen["x"] / cuts_hz}
    for name, values in told.items():
        yield Quoted(f"{name}Least", float(values.min()), 2, origin)
        yield Quoted(f"{name}Most", float(values.max()), 2, origin)


def of_slip(configuration: Configuration) -> Iterator[Quoted]:
    """Yield what the repaired slope of the rate adds on the link whose model is too low."""
    study, name = SLIPPED
    if study not in configuration.sources:
        return
    scenario = configuration.sources[study].scenarios[name]
    slipped, repaired = (
        predict(MODELS[model], scenario).goodput_pps or math.nan
        for model in ("delay_spikes.lossy", "delay_spikes.lossy_rtt_units")
    )
    yield Quoted("SlipFastLink", repaired / slipped, 2, f"{study}, scenario {name}")
