"""Errors of every family and of simpler ways to predict, on made-up connections."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tcpgoodput.comparison import baselines
from tcpgoodput.comparison.baselines import (
    BEST,
    BY_LINK,
    CAP_CORRECTED,
    CORRECTED,
    FLUID,
    PFTK,
    RULE,
    SMALLER,
    Choice,
    Sample,
)
from tcpgoodput.comparison.census.design import Connection
from tcpgoodput.comparison.census.quantities import QUANTITIES
from tcpgoodput.comparison.errors import errors_of_all
from tcpgoodput.comparison.input_errors import BY_CONSTANT, CAP, ORACLE, SIMULATION, cap_pps
from tcpgoodput.comparison.inputs import half_of
from tcpgoodput.comparison.link_errors import Link
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.measurements import key_of
from tcpgoodput.engines.referees import referee
from tcpgoodput.report.errors import levels_tex, samples_tex
from tests import shipped

TWO = math.log(2)


def sample(pftk: list[float], fluid: list[float], **changes: list[float]) -> Sample:
    """Return connections with these errors: the rate of the last one varies, no packet is lost."""
    count = len(pftk)
    quantities = {
        "connection": [f"c{number}" for number in range(count)],
        "impairments": ["bursts"] * (count - 1) + ["sinusoid"],
        "variant": ["sack"] * count,
        "product": [5.0, *[20.0] * (count - 1)],
        "ack_every": [1.0] * count,
        "transfer": [1e6] * count,
        "loss": [0.0] * count,
        "handoff_every": [1e6] * count,
        "capacity_change": [0.0] * (count - 1) + [3.0],
    }
    connections = pd.DataFrame(quantities | changes)
    errors = pd.DataFrame({PFTK: pftk, FLUID: fluid})
    statuses = pd.DataFrame({PFTK: ["native"] * count, FLUID: ["reduced"] * count})
    return Sample(connections, errors, statuses, pd.Series([1.0] * count))


def errors_of(choice: Choice, judged: Sample, predictor: str) -> list[float]:
    rows = choice.predictions(judged)
    return rows.loc[rows["predictor"] == predictor, "log_error"].tolist()


OWN = sample([0.2, 0.2, 0.4], [0.1, 0.3, 0.2])
JUDGED = sample([0.2, math.nan, 0.4], [0.3, -0.1, 0.2])


def test_the_smaller_prediction_is_taken_and_a_missing_one_is_not() -> None:
    assert errors_of(Choice(OWN), JUDGED, SMALLER) == [0.2, -0.1, 0.2]


def test_the_old_rule_names_the_fluid_only_if_the_rate_alone_varies_or_pftk_has_no_value() -> None:
    assert errors_of(Choice(OWN), JUDGED, RULE) == [0.2, -0.1, 0.2]
    lossy = sample([0.2, math.nan, 0.4], [0.3, -0.1, 0.2], loss=[0.0, 0.0, 0.01])
    assert errors_of(Choice(OWN), lossy, RULE) == [0.2, -0.1, 0.4]
    handed = sample([0.2, math.nan, 0.4], [0.3, -0.1, 0.2], handoff_every=[1e6, 1e6, 50.0])
    assert errors_of(Choice(OWN), handed, RULE) == [0.2, -0.1, 0.4]


def test_a_family_is_chosen_for_each_impairment_on_the_other_connections() -> None:
    own = sample([0.1, 0.1, 0.4], [0.2, 0.2, 0.1])  # bursts: PFTK; sinusoid: the fluid
    judged = sample([0.6, math.nan, 0.4], [0.3, -0.1, 0.7])
    assert errors_of(Choice(own), judged, BEST) == [0.6, -0.1, 0.7]


def kind(**changes: object) -> Link:
    own = {"name": "kind", "label": "a kind", "impairments": ["bursts"], "model": FLUID}
    return Link.model_validate({**own, "others": [], **changes})


def test_the_table_of_links_has_no_answer_for_other_kinds_and_the_later_row_has_priority() -> None:
    """A row of another sender, or of a domain in which the connection is not, does not apply."""
    judged = sample([0.6, 0.5, 0.4], [0.3, -0.1, 0.7], variant=["sack", "cubic", "sack"])
    judged.statuses.loc[0, PFTK] = "out-of-domain"
    in_domain = kind(model=PFTK, domain_only=True)
    found = errors_of(Choice(OWN, [kind(), in_domain]), judged, BY_LINK)
    assert found == pytest.approx([0.3, 0.5, math.nan], nan_ok=True)
    found = errors_of(Choice(OWN, [kind(), kind(model=PFTK, variant="cubic")]), judged, BY_LINK)
    assert found == pytest.approx([0.3, 0.5, math.nan], nan_ok=True)
    assert errors_of(Choice(OWN), judged, BY_LINK) == []


@pytest.mark.parametrize(("count", "expected"), [(101, -0.5), (100, 0.2)])
def test_a_family_of_the_table_is_chosen_again_where_enough_connections_compare(
    count: int, expected: float
) -> None:
    """The last connection is of another kind: 100 or 99 of the kind are in both domains."""
    own = sample([0.1] * count, [0.2] * count)
    judged = sample([-0.5, 0.0], [0.2, 0.0])
    found = errors_of(Choice(own, [kind(others=[PFTK])]), judged, BY_LINK)
    assert found[0] == expected


def test_hindsight_takes_the_closest_with_its_sign() -> None:
    judged = sample([0.6, math.nan, -0.4], [0.3, -0.1, 0.7])
    assert errors_of(Choice(OWN), judged, ORACLE) == [0.3, -0.1, -0.4]


def test_a_constant_is_the_median_ratio_on_the_other_connections() -> None:
    rows = Choice(OWN).predictions(sample([0.6, 0.5, 0.4], [0.3, -0.1, 0.7]))
    scaled = rows[rows["predictor"] == FLUID + BY_CONSTANT]
    assert scaled["constant"].tolist() == pytest.approx([math.exp(0.2)] * 3)
    assert scaled["log_error"].tolist() == pytest.approx([0.1, -0.3, 0.5])
    assert scaled["status"].tolist() == ["reduced"] * 3


def test_a_regression_learns_an_error_that_a_parameter_explains() -> None:
    """The smaller prediction is wrong by the buffer's logarithm: the regression takes it off."""
    rng = np.random.default_rng(1)

    def drawn(count: int) -> Sample:
        buffers = rng.uniform(0.5, 2.0, count)
        errors = list(np.log(buffers))
        others = {name: [0.0] * count for name in QUANTITIES}
        return sample(errors, errors, **others | {"buffer": list(buffers)})

    own, judged = drawn(800), drawn(200)
    found = np.abs(errors_of(Choice(own), judged, CORRECTED))
    assert np.median(found) < 0.1 * np.median(np.abs(errors_of(Choice(own), judged, SMALLER)))
    # The cap is off by the same factor on all connections: nothing is left.
    assert errors_of(Choice(own), judged, CAP_CORRECTED) == pytest.approx([0.0] * 200, abs=1e-9)


def test_a_few_connections_teach_nothing() -> None:
    assert all(math.isnan(error) for error in errors_of(Choice(OWN), OWN, CORRECTED))


def test_another_judge_shifts_all_errors_by_the_same_factor() -> None:
    judged = sample([0.2, 0.2, 0.4], [0.3, -0.1, 0.2]).judged(pd.Series({"c0": 2.0, "c2": 0.5}))
    choice = Choice(OWN)
    assert errors_of(choice, judged, PFTK) == pytest.approx([0.2 + TWO, 0.4 - TWO])
    assert errors_of(choice, judged, CAP) == pytest.approx([1.0 + TWO, 1.0 - TWO])
    assert errors_of(choice, judged, SIMULATION) == pytest.approx([TWO, -TWO])
    assert errors_of(choice, OWN, SIMULATION) == []  # it cannot judge itself


def test_missing_values_are_a_factor_of_two_without_a_sign() -> None:
    rows = pd.DataFrame({"way": "a", "log_error": [math.nan, math.nan, -0.1]})
    (found,) = errors_of_all(rows, "way").to_dict("records")
    assert found["n"] == 3
    assert found["answered_%"] == pytest.approx(100 / 3)
    assert found["median_%"] == pytest.approx(100 * TWO)
    assert found["median_of_answers_%"] == pytest.approx(10)
    assert found["bias_%"] == pytest.approx(-10)
    assert found["off_by_two_%"] == pytest.approx(200 / 3)


def test_a_way_without_any_value_or_without_a_name_is_kept() -> None:
    rows = pd.DataFrame(
        {"way": ["a", None, None, "b"], "log_error": [0.1, math.nan, 0.3, math.nan]}
    )
    found = errors_of_all(rows, "way")
    assert found["n"].tolist() == [1, 2, 1]
    assert found["answered_%"].tolist() == [100, 50, 0]
    medians = found["median_of_answers_%"].tolist()
    assert medians == pytest.approx([10, 30, math.nan], nan_ok=True)
    assert math.isnan(found["bias_%"].iloc[2])


def test_kinds_of_connections_by_hand() -> None:
    own = sample([0.1] * 3, [0.1] * 3, transfer=[1e6, 40.0, 1e6], ack_every=[1.0, 2.0, 4.0])
    rows = Choice(OWN).predictions(own)
    rows = rows[rows["predictor"] == CAP]
    assert rows["is_transfer"].tolist() == [False, True, False]
    assert rows["product"].tolist() == ["BDP up to 10", "BDP of 10 to 50", "BDP of 10 to 50"]
    names = ["ACK for each packet", "ACK for two packets", "ACK for more packets"]
    assert rows["acks"].tolist() == names
    assert rows["number"].tolist() == ["one impairment"] * 3


def connections(count: int) -> list[Connection]:
    """Return the first random connections of Linux's sample on which predictions are judged."""
    inputs = shipped.configuration().inputs
    assert inputs is not None
    return list(islice(half_of(inputs.spaces["linux"], 1, 8), count))


def test_the_ratio_to_a_judge_by_hand() -> None:
    """Simulated goodput over the judge's, of the connections that both have."""
    first, second, third = connections(3)
    names = [one.scenario.id for one in (first, second, third)]
    simulated = sample([0.1] * 3, [0.1] * 3, connection=names, goodput_pps=[30.0, 10.0, 20.0])
    records = {}
    for one, pps in ((first, 20.0), (third, None)):
        key = key_of("linux", referee("linux").setting(one.scenario), one.scenario)
        records[key] = Measurement(goodput_pps=pps)
    ratios = baselines.ratios_to("linux", simulated, [first, second, third], records)
    assert ratios.to_dict() == {first.scenario.id: 1.5}


def test_a_run_without_random_samples_has_no_tables(tmp_path: Path) -> None:
    configuration = replace(shipped.configuration(), inputs=None)
    assert samples_tex(configuration, tmp_path) == "%\n"
    assert levels_tex(configuration, tmp_path) == "%\n"


def test_a_held_out_connection_at_its_cap_is_predicted_by_the_cap() -> None:
    """The simulated goodput counts payload bits, without those of the headers."""
    (one,) = connections(1)
    cap = cap_pps(one.scenario)
    assert cap is not None
    row = {"scenario": one.scenario.id, "family": PFTK, "status": "native", "log_error": 0.2}
    row["simulated_bps"] = 8 * one.scenario.tcp.mss_bytes * cap
    held = baselines.of_held([one], pd.DataFrame([row]))
    assert held.caps.tolist() == pytest.approx([0.0], abs=1e-12)
