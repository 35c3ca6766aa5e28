"""What is known of a connection: assumptions, choices of formulas, and errors by level."""

from __future__ import annotations

import math
from pathlib import Path
from shutil import copytree
from typing import Any, get_args

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.families import families_of
from tcpgoodput.comparison.input_costs import (
    EVERYTHING,
    NOT_MEASURED,
    OTHER_KEYS,
    _seen,
    costliest,
    input_costs,
    misjudged,
)
from tcpgoodput.comparison.input_errors import (
    AT_MEAN,
    FLUID,
    FLUID_MODEL,
    FORMULA,
    ORACLE,
    PLACE,
    Choice,
    Judged,
    Predictions,
    cap_pps,
    gains_between,
    on_links,
    on_sample,
)
from tcpgoodput.comparison.inputs import (
    INPUTS,
    Assumed,
    Inputs,
    RecordedLevel,
    load_inputs,
    views,
    without,
)
from tcpgoodput.configuration import ConfigurationError, read
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.project.settings import check_document
from tcpgoodput.scenario.loss import Bernoulli
from tests import shipped as own
from tests.folders import ROOT
from tests.scenarios import scenario

BURSTS = {
    "process": "gilbert-elliott",
    "clock": "packet",
    "good_to_bad": 0.008,
    "bad_to_good": 0.792,
}
SPIKES = {
    "interval": {"distribution": "constant", "mean_s": 10.0},
    "duration": {"distribution": "constant", "mean_s": 2.0},
}
ASSUMED = Assumed(misjudged=0.25, rto_min_s=1.0)


@pytest.fixture(scope="module")
def shipped() -> Inputs:
    found = own.configuration().inputs
    assert found is not None
    return found


def predicted(name: str, one: object) -> float:
    found = predict(MODELS[name], one).goodput_pps  # type: ignore[arg-type]
    assert found is not None
    return found


def test_nothing_unknown_is_the_scenario_itself() -> None:
    link = scenario(loss=BURSTS, spikes=SPIKES)
    assert without(link, [], ASSUMED) == [link]


def test_lost_packets_and_a_wrong_round_trip_by_hand() -> None:
    # A share α/(α+β) = 0.01 of the packets is lost. One who counts packets and estimates the round
    # trip of 0.1 s as 0.125 or 0.075 s expects sqrt(3/2)/(R sqrt(p)) = 97.98 or 163.3 packets/s.
    link = scenario(loss=BURSTS)
    seen = without(link, ["loss-events", "round-trip"], ASSUMED)
    assert [one.loss for one in seen] == 2 * [Bernoulli(process="bernoulli", probability=0.01)]
    assert [predicted("mathis", one) for one in seen] == pytest.approx([97.98, 163.30], rel=1e-3)


def test_hand_offs_counted_packet_by_packet_by_hand() -> None:
    lost = {"fate": "lost", "interval_s": 10.0, "packets": 4}
    (one,) = without(scenario(handoffs=lost), ["loss-events"], ASSUMED)
    assert one.handoffs is not None
    assert (one.handoffs.interval_s, one.handoffs.packets) == (2.5, 1)
    late = {"fate": "late", "interval_s": 10.0, "packets": 4, "late_s": 0.2}
    (one,) = without(scenario(handoffs=late), ["loss-events"], ASSUMED)
    assert one.handoffs is None


def test_a_mean_rate_counts_spikes_as_time_without_rate() -> None:
    # A spike of 2 s every 10 s leaves 0.8 of the time; a sinusoid from 1 to 3 has the mean 2.
    (one,) = without(scenario(spikes=SPIKES), ["rate-over-time"], ASSUMED)
    assert one.spikes is None
    assert one.path.rate_bps == pytest.approx(0.8e9)
    varying = {"process": "sinusoid", "min_bps": 1e6, "max_bps": 3e6, "frequency_hz": 0.1}
    link = scenario(path={"rate_bps": 3e6}, capacity=varying)
    (mean,) = without(link, ["rate-over-time"], ASSUMED)
    (nominal,) = without(link, ["rate-over-time", "mean-rate"], ASSUMED)
    assert (mean.path.rate_bps, nominal.path.rate_bps) == (2e6, 3e6)
    assert mean.capacity is nominal.capacity is None


def test_a_mean_rate_has_no_digits_that_depend_on_the_processor() -> None:
    # The seed of a simulation depends on the scenario. A spike of 2 s every 7 s leaves 5/7.
    spikes = SPIKES | {"interval": {"distribution": "constant", "mean_s": 7.0}}
    (one,) = without(scenario(spikes=spikes), ["rate-over-time"], ASSUMED)
    assert one.path.rate_bps == 714285714.286


def test_timeout_and_window_are_assumed() -> None:
    link = scenario(tcp={"max_window_packets": 20, "rto": {"fixed_s": 0.5, "max_s": 0.6}})
    (one,) = without(link, ["timeout", "window"], ASSUMED)
    assert one.tcp.max_window_packets is None
    assert (one.tcp.rto.min_s, one.tcp.rto.fixed_s, one.tcp.rto.max_s) == (1.0, None, 1.0)


def test_a_cap_by_hand_and_without_window_never_lower() -> None:
    # 8 Mbit/s are 1000 packets of 1000 bytes per second; 20 packets in 0.1 s are 200 per second.
    link = scenario(tcp={"max_window_packets": 20}, path={"rate_bps": 8e6})
    assert cap_pps(link) == pytest.approx(200)
    (unlimited,) = without(link, ["window"], ASSUMED)
    assert cap_pps(unlimited) == pytest.approx(1000)


def test_an_unknown_input_changes_only_connections_that_have_it(shipped: Inputs) -> None:
    plain = scenario(loss={"process": "bernoulli", "probability": 0.01})
    for name in ("loss-events", "mean-rate", "rate-over-time", "window"):
        assert without(plain, [name], ASSUMED) == [plain], name  # type: ignore[list-item]
    assert len(list(views(plain, shipped.settings))) == 2 + 2 + 1 + 1 + 1 + len(INPUTS) + 1


FAMILIES = families_of([], MODELS.names())


def with_everything(shipped: Inputs, judged: list[Judged]) -> pd.DataFrame:
    """Return the errors of predictions that know all inputs, by connection."""
    found = Predictions(shipped, Conditions(), FAMILIES, {}).errors(judged)
    return found[found["case"] == "everything"].set_index("connection")


def test_full_knowledge_is_each_models_own_answer_bit_for_bit(shipped: Inputs) -> None:
    links = [one.scenario for one in shipped.half(1, 4)]
    full = with_everything(shipped, [Judged("packet", link.id, 100.0, link) for link in links])
    for link in links:
        for name in FAMILIES:
            pps = predict(MODELS[name], link, Conditions(precision="draft")).goodput_pps
            error = full.at[link.id, name]
            assert math.isnan(error) if not pps else error == math.log(pps / 100.0)


def test_full_knowledge_gives_the_recorded_predictions(shipped: Inputs) -> None:
    table = ROOT / "data" / "census" / "connections.parquet"
    judged = on_sample(shipped.half(1, 6), table)
    assert judged
    full = with_everything(shipped, judged)
    columns = ["point", "goodput_pps", "goodput:pftk"]
    rows = pq.read_table(table, columns=columns).to_pandas().set_index("point")
    for one in judged:
        row = rows.loc[int(one.name.rpartition("-")[2])]
        assert one.goodput_pps == row["goodput_pps"]
        if row["goodput:pftk"] > 0:
            error = math.log(row["goodput:pftk"] / row["goodput_pps"])
            assert full.at[one.name, "pftk"] == pytest.approx(error, abs=1e-6)


def errors(*rows: tuple[str, str, float | None, float | None, float | None]) -> pd.DataFrame:
    """Return a table of errors, given tuples (connection, regime, one, other, fluid)."""
    every = [("packet", *row[:2], False, "all", 0, *row[2:], math.nan, 0.5) for row in rows]
    table = pd.DataFrame(every, columns=[*PLACE, "one", "other", FLUID, "simulation", "cap"])
    return table.astype(dict.fromkeys(("one", "other", FLUID), float))


CHOOSING = errors(
    ("a", "loss", 0.1, -0.3, 0.2),
    ("b", "loss", 0.1, -0.3, 0.2),
    ("c", "spikes", None, 0.2, 0.2),
    ("d", "spikes", 0.1, 0.2, 0.2),
    ("e", "spikes", None, 0.2, 0.2),
)


def test_formulas_are_chosen_by_regime_and_a_missing_answer_counts_as_a_factor_of_two() -> None:
    choice = Choice(CHOOSING)
    assert choice.orders["all", "loss"] == ["one", "other"]
    assert choice.orders["all", "spikes"] == ["other", "one"]


def test_the_chosen_formula_a_missing_answer_and_a_constant_by_hand() -> None:
    judged = errors(
        ("x", "loss", -0.4, 0.1, 0.3), ("y", "loss", None, 0.2, None), ("z", "new", 0.6, 0.5, 0.3)
    )
    found = Choice(CHOOSING).predictors(judged)
    wide = found.pivot(index="connection", columns="predictor", values="log_error")
    # Over all regimes, `one` has the smaller median, 0.1 of 0.1 0.1 0.1 ln 2 ln 2.
    assert wide[FORMULA].tolist() == [-0.4, 0.2, 0.6]
    assert wide[ORACLE].tolist() == [0.1, 0.2, 0.3]
    # The constant of the fluid is its median, 0.2; that of the formula, of 0.1 0.1 0.2 0.2 0.2.
    assert wide[f"{FLUID_MODEL} over a constant"].tolist()[0] == pytest.approx(0.1)
    assert wide[f"{FORMULA} over a constant"].tolist() == pytest.approx([-0.6, 0.0, 0.4])
    assert "simulation" not in wide  # these connections are not simulated


def test_an_unknown_case_has_the_order_of_all() -> None:
    judged = errors(("x", "loss", -0.4, 0.1, 0.3)).assign(case="new")
    found = Choice(CHOOSING).predictors(judged).set_index("predictor")
    assert (found.at[FORMULA, "log_error"], found.at[FORMULA, "family"]) == (-0.4, "one")


def test_hindsight_is_never_worse_than_any_family() -> None:
    random = np.random.default_rng(1)
    rows = [(f"c{n}", "loss", *random.normal(0, 0.3, 3)) for n in range(50)]
    found = Choice(CHOOSING).predictors(errors(*rows))
    wide = found.pivot(index="connection", columns="predictor", values="log_error").abs()
    for name in (FORMULA, FLUID_MODEL):
        assert (wide[ORACLE] <= wide[name]).all()


def gains(rows: list[tuple[str, str, str, float]], cluster: str = "connection") -> dict[str, Any]:
    """Return the gains of `more` over `less`, given tuples (link, connection, case, error)."""
    table = pd.DataFrame(rows, columns=["link", "connection", "case", "log_error"])
    table, pairs = table.assign(judge="p"), [("less", "more")]
    (row,) = gains_between(table, "case", pairs, ["judge"], cluster).to_dict("records")
    nothing = gains_between(table, "case", [("less", "none")], ["judge"], cluster)
    assert (list(nothing), len(nothing)) == (list(row), 0)
    return row


def test_gains_are_paired_and_directions_are_averaged() -> None:
    sizes = (("less", 0.3), ("less", -0.5), ("more", 0.1))
    row = gains([("a link", f"c{n}", case, size) for case, size in sizes for n in range(8)])
    assert row["n"] == row["different"] == 8
    assert row["gain_%"] == pytest.approx(30)  # the mean of 0.3 and 0.5, less 0.1
    assert (row["gain_low_%"], row["gain_high_%"]) == pytest.approx((30, 30))
    assert [row[f"mean_gain{end}_%"] for end in ("", "_low", "_high")] == pytest.approx([30] * 3)
    assert row["smaller_%"] == 100


def test_a_share_of_smaller_errors_has_the_interval_of_its_clusters() -> None:
    """Ten connections of each of eight links: on four links the second error is smaller."""
    rows = [
        (f"link {n}", f"c{n} {m}", case, size)
        for n in range(8)
        for m in range(10)
        for case, size in (("less", 0.3), ("more", 0.1 if n < 4 else 0.5))
    ]
    alone, of_links = gains(rows), gains(rows, "link")
    assert alone["smaller_%"] == of_links["smaller_%"] == 50
    assert alone["smaller_low_%"] == pytest.approx(39.3, abs=0.1)  # Wilson's, of 40 in 80
    # Of eight links drawn, none of the four has a probability of 0.4 %, at most one of 3.5 %.
    ends = [of_links[f"smaller_{end}_%"] for end in ("low", "high")]
    assert ends == pytest.approx([100 / 8, 700 / 8])


def test_a_mean_gain_has_students_interval_by_hand() -> None:
    # Gains of 10 and 30: the mean is 20, its standard error 10, and t is 12.706 with one degree.
    sizes = {"a": (0.2, 0.1), "b": (0.4, 0.1)}
    each = {name: zip(("less", "more"), own, strict=True) for name, own in sizes.items()}
    row = gains([("a link", name, *one) for name, own in each.items() for one in own])
    assert row["mean_gain_%"] == pytest.approx(20)
    assert row["mean_gain_high_%"] == pytest.approx(20 + 127.06, abs=0.01)


def test_the_command_says_what_an_input_costs_by_hand() -> None:
    # PFTK-like formulas are limited by 1/(R sqrt(p)) and by the receiver window: without loss, a
    # window of 10 packets in 0.1 s gives 100 packets/s, and a round trip 20 % too small 125.
    link = scenario(tcp={"max_window_packets": 10}, path={"rate_bps": 8e6, "buffer_packets": 100})
    rows = input_costs(link, Conditions())
    assert rows[0]["input"] == EVERYTHING
    assert rows[0]["goodput_bps"] == pytest.approx(100 * 8000, rel=0.02)
    trips = [row for row in rows if row["input"] == "round-trip"]
    expected = [100 * math.log(1 / 1.2), 100 * math.log(1 / 0.8)]
    assert [row["change_%"] for row in trips] == pytest.approx(expected, abs=2)
    assert [row["no_effect"] for row in rows if row["input"] == "loss-events"] == [True]
    most = costliest(rows)
    assert most is not None
    assert most["input"] == "window"  # 1000 instead of 100 packets/s
    assert most["change_%"] == pytest.approx(100 * math.log(10), abs=5)


def test_a_link_that_repeats_frames_and_its_errors_are_inputs() -> None:
    # BBR fills the link. Without the repetitions, 1/(1 - e) of its rate is expected: e = 0.2 gives
    # 22.3 %. Errors of 0.24 instead of 0.2 leave 0.76 of the rate instead of 0.8.
    link = scenario(
        tcp={"variant": "bbr", "stack": "linux-6.18"},
        path={"rate_bps": 8e6, "buffer_packets": 200},
        arq={"error": 0.2, "attempts": 20},
    )
    changes = {row["assumption"]: row["change_%"] for row in input_costs(link, Conditions())}
    assert changes["a link that repeats no frame assumed"] == pytest.approx(
        -100 * math.log(0.8), abs=0.3
    )
    wrong = "share of failed frames 20 % too "
    assert changes[f"{wrong}large"] == pytest.approx(100 * math.log(0.76 / 0.8), abs=0.3)
    assert changes[f"{wrong}small"] == pytest.approx(100 * math.log(0.84 / 0.8), abs=0.3)


def test_every_quantity_of_an_impairment_may_be_wrong() -> None:
    handoffs = {"fate": "late", "interval_s": 10.0, "packets": 4, "late_s": 0.2}
    channel = {**BURSTS, "bad_to_good": 0.5}
    tcp, path = {"max_window_packets": 50, "transfer_packets": 9}, {"buffer_packets": 50}
    parts = {"arq": {"error": channel, "attempts": 3, "turnaround_s": 0.01}, "spikes": SPIKES}
    link = scenario(tcp=tcp, path=path, handoffs=handoffs, loss=BURSTS, **parts)
    names = {row["input"] for row in input_costs(link, Conditions())}
    assert names == {EVERYTHING, "rate", "loss", *OTHER_KEYS, *NOT_MEASURED}


@pytest.mark.parametrize(
    ("packets", "wrong"),
    [
        (1, []),  # 1.2 and 0.8 are 1 again, so that nothing would be wrong
        (2, []),
        (3, ["4 in place of 3", "2 in place of 3"]),
        (4, ["5 in place of 4", "3 in place of 4"]),
        (5, ["20 % too large", "20 % too small"]),
        (64, ["20 % too large", "20 % too small"]),  # 77 and 51: 20.3 %
    ],
)
def test_whole_numbers_are_wrong_by_what_the_row_says(packets: int, wrong: list[str]) -> None:
    link = scenario(handoffs={"fate": "lost", "interval_s": 10.0, "packets": packets})
    name = "packets per hand-off"
    seen = {words: one for input_name, words, one in _seen(link) if input_name == name}
    assert list(seen) == [f"{name} {words}" for words in wrong]
    assert link not in seen.values()


def write(folder: Path, **changes: object) -> Path:
    content = yaml.safe_load((ROOT / "config" / "inputs.yaml").read_text(encoding="utf-8"))
    file = folder / "inputs.yaml"
    file.write_text(yaml.safe_dump(content | changes, sort_keys=False), encoding="utf-8")
    return file


def test_judges_measure_the_first_connections_that_they_can(
    tmp_path: Path, shipped: Inputs
) -> None:
    judges = {
        "ns2": {"sample": "connections", "connections": 5},
        "linux": {"sample": "linux", "connections": 6, "longest_s": 60, "fastest_bps": 1e7},
    }
    found = load_inputs(write(tmp_path, judges=judges), shipped.spaces)
    half = shipped.half(1, 40)
    can = [one for one in half if one.scenario.tcp.variant != "cubic"]  # ns-2's is of 2006
    assert [one.number for one in found.judged["ns2"]] == [one.number for one in can[:5]]
    for one in found.judged["linux"]:
        assert one.scenario.tcp.stack == "linux-6.18"
        assert one.scenario.path.rate_bps <= 1e7
        assert 100 * one.scenario.propagation_rtt_s <= 60  # a run has at least 100 round trips
    numbers = [one.number for one in found.judged["linux"]]
    assert len(numbers) == 6
    assert numbers == sorted(numbers)
    assert min(numbers) >= shipped.spaces["linux"].census.points / 2


def levels(one: list[str], two: list[str]) -> dict[str, object]:
    """Return two levels at which these inputs are not known."""
    labels = {"one": one, "two": two}
    return {"levels": {name: {"label": name, "unknown": own} for name, own in labels.items()}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sample": "connection"}, "sample: no random sample is called 'connection'"),
        (
            {"judges": {"ns2": {"sample": "linus", "connections": 3}}},
            "judges.ns2.sample: no random sample is called 'linus'; did you mean linux",
        ),
        (levels([], ["window"]), "window is known at the level one"),
        (levels(["window", "timeout"], ["timeout", "window"]), "at the level one, too"),
        (levels(["window", "window"], []), "levels.one.unknown: lists window twice"),
        (levels(["rtt"], []), "levels.one.unknown"),
        ({"connections": 10**6}, "the random sample connections has 100352 points"),
        ({"connections": 100, "simulated": 51}, "simulated: is 51, but must be at most 50"),
        (
            {"judges": {"linux": {"sample": "linux", "connections": 10**5}}},
            "judges.linux.connections: is 100000, but half of the random sample linux has",
        ),
        ({"recorded": {"mean-of-yesterday": "x"}}, "did you mean mean-of-today"),
        ({"levels": {}}, "levels: has no keys but must have at least 2"),
        ({"levels": {"one": {"label": "", "unknown": []}}}, "label: is empty but must be text"),
    ],
)
def test_a_wrong_file_is_refused_with_its_key(
    tmp_path: Path, shipped: Inputs, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_inputs(write(tmp_path, **changes), shipped.spaces)
    assert message in str(caught.value)


def test_the_check_of_the_file_alone_knows_the_samples_beside_it(tmp_path: Path) -> None:
    file = write(tmp_path, sample="conections")
    assert check_document(read(file)).found.startswith("5 levels")  # no samples to compare with
    copytree(ROOT / "config" / "census", tmp_path / "census")
    with pytest.raises(ConfigurationError, match=r"sample.*did you mean connections"):
        check_document(read(file))


def test_recorded_levels_are_those_of_the_recorded_table() -> None:
    rows = pd.read_csv(ROOT / "data" / "links" / "inputs.csv", usecols=["level"])
    assert set(rows["level"]) == set(get_args(RecordedLevel))


def test_formulas_and_judges_have_different_connections(shipped: Inputs) -> None:
    chosen, judged = ({one.number for one in shipped.half(n, 16)} for n in (0, 1))
    assert not chosen & judged
    assert max(chosen) < shipped.space.census.points / 2 <= min(judged)


LINKS = """link,buffer_bdp,buffer_packets,variant,stack,level,view,model,status,goodput_bps
a,0.5,9,sack,,this-trace,mean,pftk,native,110
a,1.0,9,sack,,this-trace,mean,pftk,native,110
a,1.0,9,sack,,this-trace,mean,mathis,native,130
a,1.0,9,sack,,this-trace,trace,variable_capacity.fluid,native,120
a,1.0,9,sack,,mean-of-past,constant,simulation,measured,200
b,1.0,9,sack,,this-trace,mean,pftk,native,300
b,1.0,9,sack,,this-trace,mean,mathis,native,210
b,1.0,9,sack,,this-trace,trace,variable_capacity.fluid,native,200
"""
MEASURED = """link,buffer_bdp,buffer_packets,variant,stack,goodput_bps,first_half_bps
a,0.5,9,sack,,100,80
a,1.0,9,sack,,100,80
b,1.0,9,sack,,200,100
"""
KERNEL = """link,buffer_bdp,buffer_packets,variant,stack,kernel_bps
b,1.0,9,sack,,150
"""


def test_a_formula_for_a_link_is_chosen_on_the_other_links_by_hand(tmp_path: Path) -> None:
    texts = {"inputs": LINKS, "measured": MEASURED, "kernel_and_simulator": KERNEL}
    for name, text in texts.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    found = on_links(FAMILIES, tmp_path)
    # Both buffers of a have nine packets, so that they are one connection.
    assert not found.duplicated(["judge", "link", "connection", "case", "predictor"]).any()
    places = ["judge", "link", "case", "predictor"]
    ratio = {
        tuple(row[name] for name in places): math.exp(row["log_error"])
        for row in found.to_dict("records")
    }
    # On b, mathis has the smaller error, so it predicts a: 130 of 100. On a it is pftk.
    assert ratio["packet", "a", "this-trace", "formula"] == pytest.approx(1.3)
    assert ratio["packet", "b", "this-trace", "formula"] == pytest.approx(1.5)
    assert ratio["packet", "a", "this-trace", "oracle"] == pytest.approx(1.1)
    assert ratio["packet", "b", "this-trace", "oracle"] == pytest.approx(1.0)  # the fluid
    assert ratio["packet", "a", "this-trace", "fluid"] == pytest.approx(1.2)
    # The only other link gives the constant: 1.5 for a, and 1.3 for b.
    assert ratio["packet", "a", "this-trace", "formula over a constant"] == pytest.approx(1.3 / 1.5)
    assert ratio["packet", "b", "this-trace", "formula over a constant"] == pytest.approx(1.5 / 1.3)
    assert ratio["packet", "a", "trace-of-past", "simulation"] == pytest.approx(0.8)
    assert ratio["packet", "a", "mean-of-past", "simulation"] == pytest.approx(2.0)
    assert ratio["linux", "b", "this-trace", "simulation"] == pytest.approx(200 / 150)
    assert ("packet", "a", "this-trace", "simulation") not in ratio  # the judge itself


def test_a_formula_may_use_the_mean_rate_of_a_varying_link(shipped: Inputs) -> None:
    # A link that is 1 Mbit/s and 3 Mbit/s in turn carries 2 Mbit/s on average.
    varying = {"process": "square", "min_bps": 1e6, "max_bps": 3e6, "frequency_hz": 0.5}
    loss = {"process": "bernoulli", "probability": 0.001}
    link = scenario(path={"rate_bps": 3e6, "buffer_packets": 30}, capacity=varying, loss=loss)
    mean = scenario(path={"rate_bps": 2e6, "buffer_packets": 30}, loss=loss)
    (row,) = with_everything(shipped, [Judged("packet", link.id, 100.0, link)]).to_dict("records")
    for name in ("pftk", "parvez"):
        expected = math.log(predicted(name, mean) / 100.0)
        assert row[name + AT_MEAN] == pytest.approx(expected)


def test_misjudged_scenarios_change_a_quantity_by_a_fifth() -> None:
    plain = scenario(loss={"process": "bernoulli", "probability": 0.01})
    found = misjudged(plain)
    assert set(found) == {"rtt-over", "rtt-under", "loss-over", "loss-under"}
    rtts_s = [found[f"rtt-{way}"].propagation_rtt_s for way in ("over", "under")]
    assert rtts_s == pytest.approx([1.2 * plain.propagation_rtt_s, 0.8 * plain.propagation_rtt_s])
    assert found["rtt-over"].loss == plain.loss
    assert found["loss-under"].loss.probability == pytest.approx(0.008)  # type: ignore[union-attr]


def test_misjudged_bursts_are_more_frequent_and_equally_long() -> None:
    channel = {"process": "gilbert-elliott", "good_to_bad": 0.01, "bad_to_good": 0.5}
    loss = misjudged(scenario(loss=channel))["loss-over"].loss
    assert (loss.good_to_bad, loss.bad_to_good) == pytest.approx((0.012, 0.5))  # type: ignore[union-attr]


@pytest.mark.parametrize("p", [None, 0.9])
def test_absent_losses_and_invalid_probabilities_are_not_misjudged(p: float | None) -> None:
    loss = {"process": "bernoulli", "probability": p} if p else {"process": "none"}
    assert "loss-over" not in misjudged(scenario(loss=loss))
