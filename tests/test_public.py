"""The public Python functions return the same numbers as the command line."""

from __future__ import annotations

import copy
import doctest
import importlib
import inspect
import json
import os
import pydoc
import re
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import yaml

import tcpgoodput
from tcpgoodput.api.load import known_models
from tcpgoodput.models import MODELS
from tcpgoodput.models.base import Model
from tcpgoodput.studies.answering import PUBLISHED
from tests import worked_example
from tests.cli.program import answer
from tests.folders import ROOT
from tests.scenarios import PLAIN

LOSSY = {**PLAIN, "loss": {"process": "bernoulli", "probability": 0.01}}
VERBS = ["load", "models", "predict", "advise", "simulate", "compare", "sweep", "plot"]


def command_line(*arguments: str) -> Any:
    """Return a command's JSON output for the scenario `LOSSY` on standard input."""
    return answer(*arguments, text=yaml.safe_dump(LOSSY))


def records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Return the rows of a table as dicts, with None for missing values as in JSON."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def test_the_explorers_command_contains_the_scenario() -> None:
    """The shell of Debian, for example, interprets backslashes in the arguments of echo."""
    scenario = tcpgoodput.load({**LOSSY, "title": r"a link's $\alpha$"}, {"tcp.variant": "sack"})
    printing, _, exploring = tcpgoodput.explorer_command(scenario).rpartition(" | ")
    assert exploring == "tcpgoodput explore -"
    run = subprocess.run(["sh", "-c", printing], capture_output=True, text=True, check=True)
    assert tcpgoodput.load(json.loads(run.stdout)) == scenario


def test_the_explorers_command_finds_a_trace_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = os.path.relpath(ROOT / "config/scenarios/s23-nr-blockage.yaml")
    recorded = tcpgoodput.load(file)
    assert not os.path.isabs(recorded.capacity.file)
    command = tcpgoodput.explorer_command(recorded)
    monkeypatch.chdir(tmp_path)
    given = tcpgoodput.load(json.loads(shlex.split(command)[2]))
    assert os.path.samefile(given.capacity.file, ROOT / "config/scenarios/s23-nr-blockage.csv")


# ---- Predictions and measurements equal those of the command line


def test_models_equal_those_of_the_command_line() -> None:
    assert records(tcpgoodput.models()) == command_line("models")


def test_the_callable_package_of_models_describes_its_call() -> None:
    described = importlib.import_module("tcpgoodput.models.listing").models
    assert inspect.signature(tcpgoodput.models) == inspect.signature(described)
    page = pydoc.plain(pydoc.render_doc(tcpgoodput.models))
    assert "`tcpgoodput.models()` returns a table with a row for each model" in page
    assert "`help(tcpgoodput.models.listing.models)`" in page
    assert "One row for each model" in pydoc.plain(
        pydoc.render_doc(tcpgoodput.models.listing.models)
    )


@pytest.mark.parametrize("equations", ["printed", "corrected"])
def test_predictions_equal_those_of_the_command_line(equations: str) -> None:
    result = command_line("predict", "-", "--equations", equations)
    predicted = tcpgoodput.predict(LOSSY, equations=equations)
    assert predicted["status"].iloc[0] == "native"  # the best first, undefined ones last
    assert predicted["status"].iloc[-1] == "undefined"
    by_name = predicted.set_index("name").loc[[r["name"] for r in result]].reset_index()
    assert records(by_name) == result


def test_a_measurement_equals_that_of_the_command_line() -> None:
    result = command_line("simulate", "-", "--seed", "3")
    measured = tcpgoodput.simulate(LOSSY, seed=3)
    assert measured.scenario.id == result["scenario"]
    assert result["status"] == "measured"
    for name in set(result) - {"scenario", "status", "reduction", "wall_s"}:
        assert getattr(measured, name) == result[name], name
    result = command_line("simulate", "-", "--replications", "4", "--duration", "20")
    measured = tcpgoodput.simulate(LOSSY, replications=4, duration_s=20)
    assert (measured.goodput_bps, measured.ci95_bps) == (result["goodput_bps"], result["ci95_bps"])
    assert (measured.replications, measured.measured_s) == (4, 20)


def test_a_comparison_equals_that_of_the_command_line() -> None:
    result = command_line("compare", "-")
    found = tcpgoodput.compare(LOSSY)
    assert records(found.predictions) == result["models"]
    assert found.nearest == result["nearest"]
    assert json.loads(json.dumps(found.advice.record())) == result["advice"]
    assert found.measurement is not None
    assert found.measurement.goodput_bps == result["simulation"]["goodput_bps"]


def test_a_sweep_equals_the_command_line_at_each_value() -> None:
    rows = tcpgoodput.sweep(LOSSY, {"loss.probability": [0.01, 0.05]}, models=["mathis", "pftk"])
    assert list(rows.columns) == [*PUBLISHED, "status", "reason"]
    for p in (0.01, 0.05):
        result = command_line("compare", "-", "--set", f"loss.probability={p}")
        here = rows[rows["x"] == p].set_index("series")
        for name in ("mathis", "pftk"):
            (record,) = (r for r in result["models"] if r["name"] == name)
            assert here.loc[name, "y"] == pytest.approx(record["goodput_bps"], rel=1e-12)
        measured = here.loc["packet"]
        assert measured["y"] == pytest.approx(result["simulation"]["goodput_bps"], rel=1e-12)
        half_width = (measured["y_high"] - measured["y_low"]) / 2
        assert half_width == pytest.approx(result["simulation"]["ci95_bps"])
        assert measured["n"] == result["simulation"]["replications"]


# ---- Scenarios from files, dicts and other scenarios


def test_load_accepts_a_file_a_dict_or_a_scenario(tmp_path: Path) -> None:
    file = tmp_path / "lossy.yaml"
    file.write_text(yaml.safe_dump(LOSSY), encoding="utf-8")
    scenario = tcpgoodput.load(LOSSY)
    assert tcpgoodput.load(file) == tcpgoodput.load(str(file)) == scenario
    assert tcpgoodput.load(scenario) is scenario
    goodputs = [tcpgoodput.predict(s, "mathis").loc[0, "goodput_bps"] for s in (file, LOSSY)]
    assert goodputs[0] == goodputs[1] > 0


def test_changed_keys_do_not_modify_the_original_scenario() -> None:
    data = copy.deepcopy(LOSSY)
    scenario = tcpgoodput.load(data)
    changed = tcpgoodput.load(scenario, {"path.rate_bps": 1e6, "spikes": None})
    assert (changed.path.rate_bps, scenario.path.rate_bps) == (1e6, LOSSY["path"]["rate_bps"])
    tcpgoodput.load(data, {"loss.probability": 0.2})
    assert data == LOSSY


def test_changed_keys_set_no_other_keys() -> None:
    changed = tcpgoodput.load(tcpgoodput.load(LOSSY), {"loss.probability": 0.02})
    assert changed == tcpgoodput.load(LOSSY, {"loss.probability": 0.02})
    assert changed.model_dump(exclude_unset=True).keys() == LOSSY.keys()


def test_a_value_in_a_wrong_unit_causes_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"forward_delay_s.*did you mean 0.05 \(50 ms\)"):
        tcpgoodput.load(LOSSY, {"path.forward_delay_s": 50.0})


def swept(values: Any, **options: Any) -> pd.DataFrame:
    return tcpgoodput.sweep(LOSSY, {"loss.probability": values}, **options)


BAD = {
    "a key too few": (lambda: tcpgoodput.load({"id": "a"}), "scenario: path: is required"),
    "no file": (lambda: tcpgoodput.predict("nowhere.yaml"), "nowhere.yaml: no such file"),
    "a wrong key": (
        lambda: tcpgoodput.load({**LOSSY, "los": {}}),
        "scenario: los: unknown key; did you mean loss",
    ),
    "a wrong value": (
        lambda: swept([0.1, 2]),
        "loss.probability = 2: is 2 but must be less than 1",
    ),
    "a wrong swept key": (
        lambda: tcpgoodput.sweep(LOSSY, {"loss.probabilty": [0.1]}),
        "did you mean probability",
    ),
    "a single value": (lambda: swept(0.1), "loss.probability: needs a list of values"),
    "nothing swept": (lambda: tcpgoodput.sweep(LOSSY, {}), "needs a key with values"),
    "a wrong model": (lambda: tcpgoodput.predict(LOSSY, "mathys"), "did you mean mathis"),
    "a model of a comparison": (
        lambda: tcpgoodput.compare(LOSSY, models="matis"),
        "did you mean mathis",
    ),
    "a wrong engine": (lambda: tcpgoodput.simulate(LOSSY, engine="ns3"), "did you mean ns2"),
    "wrong equations": (
        lambda: tcpgoodput.compare(LOSSY, equations="print"),
        "did you mean printed",
    ),
    "a wrong quantity": (lambda: swept([0.1], quantity="goodput_mbit"), "did you mean goodput_"),
    "a wrong parameter of a notebook": (
        lambda: tcpgoodput.study("mathis", precision="drft"),
        "parameter precision='drft': is 'drft'; did you mean draft",
    ),
    "an unknown parameter": (
        lambda: tcpgoodput.matrix(speed=1),
        "parameter speed=1: unknown key; did you mean seed",
    ),
    "a file that is not there": (
        lambda: tcpgoodput.ledger(style="colours.yaml"),
        "parameter style='colours.yaml': no such file",
    ),
    "a wrong name of a run": (
        lambda: tcpgoodput.matrix(run="a: b"),
        "parameter run='a: b': is 'a: b' but must match",
    ),
    "a wrong parameter of inputs": (
        lambda: tcpgoodput.inputs(precision="drft"),
        "parameter precision='drft': is 'drft'; did you mean draft",
    ),
    "a draw by name": (lambda: tcpgoodput.validation(draw="a"), "draw must be a whole number"),  # type: ignore[arg-type]
    "a single point": (lambda: tcpgoodput.validation(points=1), "points must be a whole number"),
    "no time": (lambda: tcpgoodput.simulate(LOSSY, duration_s=0), "duration_s: must be above 0 s"),
    "no run": (lambda: tcpgoodput.simulate(LOSSY, replications=0), "replications must be a whole"),
    "a trace of ns-2": (
        lambda: tcpgoodput.simulate(LOSSY, engine="ns2", trace=True),
        "is told by the engine 'packet'",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_raises_one_error(name: str) -> None:
    call, message = BAD[name]
    with pytest.raises((tcpgoodput.ConfigurationError, ValueError), match=re.escape(message)) as e:
        call()
    assert len(str(e.value)) < 1200
    assert e.value.__cause__ is None


def test_advice_without_rows_has_its_reason() -> None:
    """A sender that no model describes: every impairment at once, and a link that stops."""
    spike = {"distribution": "constant", "mean_s": 2.0}
    link = {
        **LOSSY,
        "loss": {"process": "gilbert-elliott", "good_to_bad": 0.001, "bad_to_good": 0.01},
        "spikes": {"interval": {**spike, "mean_s": 20.0}, "duration": spike},
        "handoffs": {"interval_s": 15.0, "packets": 8, "fate": "lost"},
        "capacity": {"process": "square", "min_bps": 0.0, "max_bps": 1e5, "frequency_hz": 0.1},
    }
    assert not tcpgoodput.predict(link)["status"].isin(["native", "reduced"]).any()
    with pytest.warns(UserWarning, match="no model is in domain .*simulate the link"):
        found = tcpgoodput.advise(link)
    assert found.empty
    assert "no model is in domain" in found.attrs["reason"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((LOSSY, "path.rate_bps=1"), r"must be a dict .* is 'path.rate_bps=1'"), ((3,), "not int")],
)
def test_a_scenario_of_a_wrong_type_is_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        tcpgoodput.load(*arguments)


# ---- Measurements, and traces of the window


def test_a_trace_has_the_same_window_as_a_trajectory() -> None:
    from tcpgoodput.studies.sender_views import trajectory

    scenario = tcpgoodput.load(LOSSY)
    measured = tcpgoodput.simulate(scenario, replications=1, duration_s=30, trace=True)
    path = trajectory(scenario, quantity="window", start_s=0, stop_s=30, points=500)
    assert measured.window is not None
    result = measured.window
    last = np.searchsorted(result["time_s"], path.x, side="right") - 1
    assert (result["cwnd_packets"].to_numpy()[last] == path.y).all()
    assert result["time_s"].is_monotonic_increasing
    assert 29 < result["time_s"].iloc[-1] < 30


def test_the_events_of_a_trace_are_consistent() -> None:
    measured = tcpgoodput.simulate(LOSSY, replications=1, duration_s=60, trace=True)
    events = measured.events
    assert events is not None
    sent = events[events["event"].isin(["send", "resend"])]
    assert sorted(sent[sent["event"] == "send"]["packet"]) == list(range(sent["packet"].max() + 1))
    lost = sent[sent["lost"]]
    assert 0.004 < len(lost) / len(sent) < 0.02
    # Every lost packet is sent again and arrives; in the last second it may still be in flight.
    later = events[events["time_s"] > 59]["packet"]
    repaired = set(sent[~sent["lost"]]["packet"]) | set(later)
    assert set(lost["packet"]) <= repaired
    assert not events.loc[events["event"].isin(["ack", "timeout"]), "lost"].any()
    assert {"duplicate ack", "resend"} <= set(events["event"])
    # A timeout reduces the window to one packet.
    window = measured.window
    assert window is not None
    timeouts = events[events["event"] == "timeout"]["time_s"]
    assert (window[window["time_s"].isin(timeouts)]["cwnd_packets"] == 1).all()


def test_a_trace_tells_timeouts_from_other_timers() -> None:
    # Linux's reordering timer ends often on this path; its retransmission timer never does.
    changes = {"tcp.variant": "cubic", "tcp.stack": "linux-6.18", "path.rate_bps": 2e7}
    linux = tcpgoodput.load(LOSSY, changes)
    measured = tcpgoodput.simulate(linux, replications=1, duration_s=60, trace=True)
    assert measured.events is not None
    kinds = measured.events["event"].value_counts()
    assert measured.timeouts == 0
    assert kinds.get("timeout", 0) == 0 < kinds["timer"]


def test_the_window_of_a_trace_is_limited_by_the_receiver() -> None:
    capped = tcpgoodput.load(PLAIN, {"tcp.max_window_packets": 20, "path.rate_bps": 1e7})
    window = tcpgoodput.simulate(capped, replications=2, duration_s=5, trace=True).window
    assert window is not None
    assert window["cwnd_packets"].max() > 20
    assert window["window_packets"].max() == 20
    small = window[window["cwnd_packets"] < 20]
    assert (small["window_packets"] == small["cwnd_packets"]).all()


def test_a_finite_transfer_is_traced_to_its_end() -> None:
    transfer = tcpgoodput.load(LOSSY, {"tcp.transfer_packets": 50})
    measured = tcpgoodput.simulate(transfer, replications=2, trace=True)
    assert measured.events is not None
    assert measured.events["packet"].max() == 49
    with pytest.raises(ValueError, match="a finite transfer is measured from its start"):
        tcpgoodput.simulate(transfer, duration_s=5)


def test_a_measurement_without_trace_has_no_window() -> None:
    measured = tcpgoodput.simulate(LOSSY, replications=2, duration_s=5)
    assert measured.window is measured.events is None
    assert re.fullmatch(r"<plain: \S+ ± \S+ kbit/s, measured by packet, 2 × 5 s>", repr(measured))


# ---- Comparisons with the simulator, and sweeps of keys


def test_a_comparison_has_a_text_form() -> None:
    found = tcpgoodput.compare(LOSSY)
    text, html = repr(found), found._repr_html_()
    for shown in (text, html):
        assert f"Nearest to the simulation, of the models in domain: {found.nearest}." in shown
        assert all(name in shown for name in MODELS.names())
        assert "nan" not in shown
    assert "<table" in html
    for reason in found.predictions["reason"].dropna():
        # The HTML table has the whole reason.
        assert reason.replace("<", "&lt;").replace(">", "&gt;") in html
    assert found.table["status"].iloc[0] == "measured"
    goodput = found.table["goodput, kbit/s"].iloc[0]
    assert goodput == pytest.approx(found.measurement.goodput_bps / 1e3)  # type: ignore[union-attr]


def test_a_scenario_without_goodput_can_be_compared() -> None:
    spike = {"distribution": "constant", "mean_s": 5.0}
    silent = {**PLAIN, "spikes": {"interval": spike, "duration": spike}}
    found = tcpgoodput.compare(silent)
    assert found.measurement is None
    assert "nothing is delivered" in str(found.reason)
    assert str(found.reason) in repr(found)
    with pytest.raises(tcpgoodput.Undefined, match="nothing is delivered"):
        tcpgoodput.simulate(silent)
    (row,) = tcpgoodput.sweep(silent, {"path.rate_bps": [1e6]}, models=[]).to_dict("records")
    assert np.isnan(row["y"])
    assert row["status"] == "undefined"


def test_a_sweep_of_two_keys_has_every_combination_and_a_column_for_each() -> None:
    swept = {"loss.probability": np.array([0.01, 0.02, 0.04]), "tcp.variant": ["sack", "tahoe"]}
    rows = tcpgoodput.sweep(LOSSY, swept, models="packet_trains", simulate=False)
    assert list(rows.columns) == [*PUBLISHED, "status", "reason", *swept]
    assert len(rows) == 6
    assert (rows["x"] == rows["loss.probability"]).all()
    assert set(rows["panel"]) == {"tcp.variant = sack", "tcp.variant = tahoe"}
    assert set(rows["x_unit"]) == {"1"}
    for row in rows.itertuples(index=False):
        alone = tcpgoodput.load(LOSSY, {"loss.probability": row.x, "tcp.variant": row[-1]})
        (result,) = tcpgoodput.predict(alone, "packet_trains")["goodput_bps"]
        assert row.y == pytest.approx(result)


@pytest.mark.parametrize(
    ("key", "unit"), [("path.rate_bps", "bit/s"), ("path.forward_delay_s", "s")]
)
def test_a_sweep_has_the_unit_of_its_key(key: str, unit: str) -> None:
    rows = tcpgoodput.sweep(LOSSY, {key: [0.1]}, models="mathis", simulate=False)
    assert set(rows["x_unit"]) == {unit}


@pytest.mark.parametrize(
    ("quantity", "unit", "factor"),
    [("goodput_pps", "packets/s", 1 / 8000), ("goodput_Mbps", "Mbit/s", 1e-6)],
)
def test_a_sweep_has_the_requested_quantity(quantity: str, unit: str, factor: float) -> None:
    swept = {"loss.probability": [0.01]}
    bits = tcpgoodput.sweep(LOSSY, swept, "mathis", precision="draft")
    other = tcpgoodput.sweep(LOSSY, swept, "mathis", precision="draft", quantity=quantity)
    assert set(bits["y_unit"]) == {"bit/s"}
    assert set(other["y_unit"]) == {unit}
    np.testing.assert_allclose(other["y"], factor * bits["y"])


def test_the_interval_of_a_transfer_time_is_ordered() -> None:
    transfer = tcpgoodput.load(LOSSY, {"tcp.transfer_packets": 100})
    rows = tcpgoodput.sweep(
        transfer, {"loss.probability": [0.05]}, [], quantity="transfer_s", precision="draft"
    )
    assert (rows["y_low"] < rows["y"]).all()
    assert (rows["y"] < rows["y_high"]).all()


def test_the_row_of_an_undefined_model_has_a_reason() -> None:
    rows = tcpgoodput.sweep(PLAIN, {"path.rate_bps": [1e6]}, models="mathis", simulate=False)
    assert rows["y"].isna().all()
    assert list(rows["status"]) == ["undefined"]
    assert "without loss" in rows["reason"][0]


# ---- Pictures, and objects shown in notebooks


def test_a_comparison_is_plotted_relative_to_the_simulation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    found = tcpgoodput.compare(LOSSY, models=["mathis", "pftk", "bbr.fluid"])
    assert list(found.predictions["name"]) == ["mathis", "pftk", "bbr.fluid"]
    axes = found.plot()
    shown = {
        axes.get_yticklabels()[i].get_text(): line.get_xdata()[0]
        for i, line in enumerate(line for line in axes.get_lines() if line.get_marker() == "o")
    }
    ratios = found.table["model / simulated"].dropna()
    assert shown == {MODELS[name].title: ratio for name, ratio in ratios.items()}
    plt.close("all")


@pytest.mark.parametrize(
    ("swept", "scale"), [([0.001, 0.01, 0.1], "log"), ([0.01, 0.02, 0.03], "linear")]
)
def test_the_axes_of_a_plot_suit_the_values(
    monkeypatch: pytest.MonkeyPatch, swept: list[float], scale: str
) -> None:
    monkeypatch.chdir(ROOT)
    rows = tcpgoodput.sweep(LOSSY, {"loss.probability": swept}, models="mathis", simulate=False)
    assert tcpgoodput.plot(rows).get_xscale() == scale
    plt.close("all")


def test_a_sweep_and_a_trace_can_be_plotted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    swept = {"loss.probability": [0.01, 0.02]}
    rows = tcpgoodput.sweep(LOSSY, swept, models="mathis", simulate=False)
    axes = tcpgoodput.plot(rows)
    assert axes.get_ylabel() == "goodput [bit/s]"
    (label,) = axes.get_legend_handles_labels()[1]
    assert label == MODELS["mathis"].title
    watched = tcpgoodput.simulate(LOSSY, replications=1, duration_s=20, trace=True)
    assert watched.window is not None
    assert len(watched.plot().get_lines()[0].get_xdata()) == len(watched.window)
    plt.close("all")
    with pytest.raises(ValueError, match="trace=True"):
        tcpgoodput.simulate(LOSSY, replications=1, duration_s=5).plot()
    with pytest.raises(ValueError, match="no rows of a sweep"):
        tcpgoodput.plot(tcpgoodput.predict(LOSSY, "mathis"))
    several = {"loss.probability": [0.01], "tcp.variant": ["sack", "tahoe"]}
    with pytest.raises(ValueError, match="2 panels"):
        tcpgoodput.plot(tcpgoodput.sweep(LOSSY, several, "mathis", simulate=False))


@pytest.mark.parametrize(
    ("quantity", "label"),
    [
        ("goodput_kbps", "goodput [kbit/s]"),
        ("utilisation", "utilisation"),
        ("transfer_s", "transfer time [s]"),
    ],
)
def test_the_plot_of_a_sweep_names_its_key_and_its_quantity(quantity: str, label: str) -> None:
    transfer = tcpgoodput.load(LOSSY, {"tcp.transfer_packets": 100})
    swept = {"path.forward_delay_s": [0.01, 0.04], "tcp.variant": ["sack", "tahoe"]}
    rows = tcpgoodput.sweep(transfer, swept, "cardwell", simulate=False, quantity=quantity)
    axes = tcpgoodput.plot(rows[rows["panel"] == "tcp.variant = sack"])
    assert axes.get_xlabel() == "path.forward_delay_s [s]"
    assert axes.get_ylabel() == label
    plt.close("all")


def test_plots_work_outside_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    watched = tcpgoodput.simulate(LOSSY, replications=1, duration_s=20, trace=True)
    assert watched.plot().get_lines()
    plt.close("all")


def test_a_saved_picture_of_a_trace_shows_the_whole_legend_and_title() -> None:
    watched = tcpgoodput.simulate(LOSSY, replications=1, duration_s=20, trace=True)
    axes = watched.plot()
    axes.figure.canvas.draw()
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["packet lost", "timeout"]
    picture = axes.figure.bbox
    for shown in (legend, axes.title, axes.xaxis.label, axes.yaxis.label):
        box = shown.get_window_extent()
        assert picture.x0 <= box.x0 < box.x1 <= picture.x1
        assert picture.y0 <= box.y0 < box.y1 <= picture.y1
    # The legend hides no marker: it is above all of them.
    marks = axes.transData.transform([(0, max(line.get_ydata().max() for line in axes.lines))])
    assert legend.get_window_extent().y0 > marks[0][1]
    plt.close("all")


def test_scenario_and_measurement_have_an_html_form() -> None:
    scenario = tcpgoodput.load(LOSSY, {"title": "a < b"})
    assert "a &lt; b" in scenario._repr_html_()
    assert "probability: 0.01" in scenario._repr_html_()
    measured = tcpgoodput.simulate(scenario, replications=2, duration_s=5)
    shown = measured._repr_html_()
    assert "a &lt; b" in shown
    assert "goodput_bps" in shown
    assert "None" not in shown


def test_enter_project_works_from_any_subfolder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, inside, outside = (tmp_path / name for name in ("mine", "mine/notebooks/a", "other"))
    for folder in (inside, outside, project / "config"):
        folder.mkdir(parents=True)
    (project / "config" / "config.yaml").touch()
    for here, found in ((inside, project), (project, project), (outside, outside)):
        monkeypatch.chdir(here)
        assert tcpgoodput.enter_project() == Path.cwd() == found


OWN_MODEL = """
import tcpgoodput
{first}
link = {link!r}
assert "tfrc" in list(tcpgoodput.models()["name"])
assert list(tcpgoodput.predict(link, models="tfrc")["status"]) == ["native"]
assert "tfrc" in list(tcpgoodput.compare(link).predictions["name"])
rows = tcpgoodput.sweep(link, {{"loss.probability": [0.01]}}, simulate=False)
assert "tfrc" in list(rows["series"])
"""


@pytest.mark.parametrize(
    ("folder", "first"), [("notebooks", "tcpgoodput.enter_project()"), ("config", "import tfrc")]
)
def test_python_knows_models_of_the_settings_and_imported_ones(
    tmp_path: Path, folder: str, first: str
) -> None:
    for name in ("config", "notebooks"):
        (tmp_path / name).mkdir()
    (tmp_path / "config" / "tfrc.py").write_text(worked_example.code(), encoding="utf-8")
    (tmp_path / "config" / "config.yaml").write_text("models: [tfrc.py]\n", encoding="utf-8")
    # A process of its own, so that other tests do not know the model.
    code = OWN_MODEL.format(first=first, link=LOSSY)
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path / folder, check=True)


def test_enter_project_finds_the_project_of_a_given_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert tcpgoodput.enter_project() == tmp_path  # in no project
    with pytest.raises(tcpgoodput.ConfigurationError, match="is in no project"):
        tcpgoodput.enter_project("nothere.yaml")
    with pytest.raises(FileNotFoundError, match="enter_project"):
        tcpgoodput.errors()
    (tmp_path / "results").mkdir()
    with pytest.raises(FileNotFoundError, match="enter_project"):
        tcpgoodput.errors(sets="random", configuration=ROOT / "config" / "config.yaml")
    assert tcpgoodput.enter_project(ROOT / "config" / "config.yaml") == ROOT


def test_random_samples_are_those_of_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project's own samples are recorded, that of the tiny configuration is not."""
    monkeypatch.chdir(ROOT)
    with pytest.raises(FileNotFoundError, match="no recorded random sample of config/test"):
        tcpgoodput.errors(tmp_path, "random", "config/test/config.yaml")
    with pytest.raises(FileNotFoundError, match="has no results of a run"):
        tcpgoodput.errors(tmp_path, configuration="config/test/config.yaml")


def test_enter_project_reports_a_missing_model_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("models: [absent.py]\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(tcpgoodput.ConfigurationError, match=r"models\[0\]: no file .*absent\.py"):
        tcpgoodput.enter_project()
    # A run with other settings does not depend on the models of config.yaml.
    (tmp_path / "config" / "other.yaml").touch()
    assert tcpgoodput.enter_project("config/other.yaml") == Path.cwd()


def test_dir_lists_only_public_names() -> None:
    names = {name for name in dir(tcpgoodput) if not name.startswith("__")}
    assert names == set(tcpgoodput.__all__)
    assert tcpgoodput.__version__ == version("tcpgoodput")
    assert "__version__" in dir(tcpgoodput)


# ---- Names and imports of the package


@pytest.mark.parametrize(
    "module",
    [
        "tcpgoodput",
        "tcpgoodput.models.listing",
        *(f"tcpgoodput.api.{verb}" for verb in VERBS if verb not in ("advise", "models", "plot")),
    ],
)
def test_examples_in_docstrings_are_true(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testmod(importlib.import_module(module))
    plt.close("all")
    assert (failed, tried > 0) == (0, True)


def test_every_public_function_is_importable_lazily() -> None:
    request = (
        "import tcpgoodput, sys; assert 'numpy' not in sys.modules\n"
        "assert set(tcpgoodput.__all__) <= set(dir(tcpgoodput))\n"
        "first = tcpgoodput.models()\n"
        "import tcpgoodput.models, tcpgoodput.models.registry\n"
        "from tcpgoodput import *\n"
        "assert models().equals(first) and tcpgoodput.models().equals(first)\n"
        "assert tcpgoodput.models.registry.MODELS.names() == list(first['name'])\n"
        f"assert all(callable(globals()[name]) for name in {VERBS})\n"
    )
    run = subprocess.run([sys.executable, "-c", request], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_an_unknown_name_raises_attribute_error() -> None:
    with pytest.raises(AttributeError, match="simulat"):
        _ = tcpgoodput.simulat


def test_the_package_init_imports_no_module() -> None:
    from tcpgoodput.jobs import imported_files

    (own,) = imported_files("tcpgoodput")
    assert own == Path(str(tcpgoodput.__file__))


def test_a_failing_model_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    (mathis,) = known_models("mathis")

    def broken(*_: object) -> float:
        raise ZeroDivisionError

    monkeypatch.setattr(type(mathis), "goodput_pps", broken)
    assert isinstance(mathis, Model)
    result = tcpgoodput.predict(LOSSY, ["mathis", "pftk"])
    assert result["reason"][0].startswith("failed: ZeroDivisionError")
    assert result["status"][1] == "native"


def test_the_documented_example_draws_a_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []
    monkeypatch.setattr(plt, "savefig", lambda *names, **_: shown.append(names))
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    section = page.partition("\n## From Python\n")[2]
    (code, *_) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert sum(bool(line) for line in code.splitlines()) <= 10
    exec(compile(code, "running.md", "exec"), {})
    lines = plt.gca().get_lines()
    assert [len(line.get_xdata()) for line in lines] == [10] * 4
    assert shown
    plt.close("all")
