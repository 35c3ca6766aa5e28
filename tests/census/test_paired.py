"""Comparison of two random samples (censuses) with the same connections but another sender.

The results are checked by counting.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.census.files import load_census, load_censuses
from tcpgoodput.comparison.census.paired import Record, advice_of, errors_of_both, gains_of, shared
from tcpgoodput.comparison.census.quantities import INFINITE
from tcpgoodput.configuration import ConfigurationError
from tests.census.evidences import COUNT, evidence
from tests.census.spaces import SMALL, written
from tests.folders import ROOT


def test_shared_keeps_connections_that_differ_only_in_the_stack() -> None:
    here, pair = evidence(), evidence()
    here.connections["timeout"] = 0.2  # the RTO belongs to the sender, so it may differ
    here.connections.loc[:9, "variant"] = "sack"
    here.connections.loc[10:19, "path"] = "another"
    pair.connections.loc[30:39, "point"] = -1
    # Reverse the rows of `pair`: connections are matched by number, not by position.
    left, right = shared(here, pair.at(pair.connections.index[::-1]))
    assert len(left.connections) == COUNT - 30
    assert (left.connections["point"] == right.connections["point"]).all()
    assert (left.errors == right.errors).all(axis=None)


def test_gains_against_a_count_by_hand() -> None:
    here, pair = evidence(), evidence()
    something = here.connections["impairments"] == "loss"
    here.connections.loc[something, "goodput_pps"] = 120.0
    rows = gains(here, pair)
    assert rows["all", "any", "any", "loss"]["connections"] == something.sum()
    assert rows["all", "any", "any", "loss"]["median"] == pytest.approx(1.2)
    assert rows["all", "any", "any", "loss"]["within_10_%"] == 0
    assert rows["all", "any", "any", "nothing"]["q95"] == 1
    assert rows["all", "any", "any", "all"]["within_10_%"] == pytest.approx(
        100 * (~something).mean()
    )
    assert rows["all", "any", "any", "all"]["faster_%"] == pytest.approx(100 * something.mean())
    assert rows["all", "any", "any", "all"]["slower_%"] == 0


def test_gains_are_listed_by_sender_and_by_equal_smallest_timeout() -> None:
    here, pair = evidence(), evidence()
    for one in (here, pair):
        one.connections.loc[:99, "variant"] = "cubic"
    pair.connections.loc[:49, "timeout"] = 1.0
    here.connections.loc[:49, "goodput_pps"] = 50.0
    rows = gains(here, pair)
    assert rows["cubic", "any", "any", "all"]["connections"] == 100
    assert rows["cubic", "any", "any", "all"]["slower_%"] == 50
    assert rows["all", "the same", "any", "all"]["connections"] == COUNT - 50
    assert rows["all", "the same", "any", "all"]["within_5_%"] == 100
    assert rows["all", "another", "any", "all"]["slower_%"] == 100
    assert rows["newreno", "any", "any", "all"]["connections"] == COUNT - 100


def test_gains_are_listed_by_acks_for_narrow_intervals() -> None:
    here, pair = evidence(), evidence()
    here.connections["ack_every"] = 1.0
    here.connections.loc[:99, "ack_every"] = 2.0
    pair.connections.loc[:9, "half_width"] = 0.2
    rows = gains(here, pair)
    second = rows["all", "any", "2", "all"]
    assert (second["connections"], second["left_out"]) == (90, 10)
    assert rows["all", "any", "1", "all"]["left_out"] == 0


def test_unimpaired_transfers_are_listed_by_length() -> None:
    here, pair = evidence(), evidence()
    for one in (here, pair):
        one.connections["product"], one.connections["transfer"] = 10.0, INFINITE
        # The column `transfer` has lengths in bandwidth-delay products, here of 10 packets. So
        # these transfers have 100 packets, and the following ones 1010.
        one.connections.loc[:9, "transfer"] = 10.0
        one.connections.loc[10:29, "transfer"] = 101.0
        one.connections.loc[20:29, "impairments"] = "loss and transfer"
    rows = gains(here, pair)
    assert rows["all", "any", "any", "short transfers"]["connections"] == 10
    assert rows["all", "any", "any", "long transfers"]["connections"] == 10


def gains(here: Evidence, pair: Evidence) -> dict[tuple[str, ...], Record]:
    """Return statistics of the ratio of goodputs, `here` to `pair`, by group of connections.

    The keys are sender, smallest RTO, packets per ACK, and impairments.
    """
    keys = ("sender", "smallest_rto", "ack_every", "impairments")
    found = gains_of(here, pair, ["loss"])
    return {tuple(str(row[key]) for key in keys): row for row in found}


def test_shared_errors_need_a_family_in_domain_in_both() -> None:
    here, pair = evidence(near=0.2), evidence(near=0.01)
    pair.statuses.loc[:99, "one"] = "out-of-domain"
    here.errors.loc[100:199, "one"] = np.nan
    here.connections.loc[:249, "variant"] = "cubic"
    little = here.connections["loss"] <= 0.3
    here, pair = here.at(little.index[little]), pair.at(little.index[little])
    found = errors_of_both(here, pair, ["loss"])
    rows = {(r["family"], r["sender"], r["impairments"]): r for r in found}
    row = rows["one", "all", "all"]
    assert rows["one", "cubic", "all"]["connections"] == little.loc[200:249].sum()
    assert row["connections"] == little.loc[200:].sum()
    assert row["typical_%"] == pytest.approx(20)
    assert row["typical_other_%"] == pytest.approx(1)
    assert (row["within_10_%"], row["within_10_other_%"]) == (0, 100)


def changed(key: str, value: Any) -> dict[str, Any]:
    """Return the definition of a census paired with the census `small`, with one key replaced.

    A key in a nested mapping is written a/b/c.
    """
    found = copy.deepcopy({**SMALL, "paired_with": "small"})
    *parents, last = key.split("/")
    part: dict[str, Any] = found
    for parent in parents:
        part = part[parent]
    part[last] = value
    return found


def test_two_trees_are_evaluated_on_the_same_connections() -> None:
    known = evidence()
    right = tree("loss", 0.3, "one", "other")
    hesitant = tree("loss", 0.3, "one", "simulate")
    rows = {
        (row["tree"], row["group"]): row
        for row in advice_of(known, {"own": right, "other": hesitant})
    }
    judges = known.connections[known.connections["point"] >= COUNT / 2]
    little = (judges["loss"] <= 0.3).sum()
    assert rows["own", "named"]["connections"] == COUNT / 2
    assert rows["own", "named"]["typical_%"] == pytest.approx(1)
    assert rows["own", "naming other"]["connections"] == COUNT / 2 - little
    assert rows["other", "simulated"]["connections"] == COUNT / 2 - little
    assert rows["own", "named by both"]["connections"] == little
    assert rows["other", "named newreno"]["connections"] == little
    assert rows["other", "named"]["cubic_%"] == 0
    elsewhere = {"other": tree("loss", 0.3, "asked only there", "simulate")}
    of = {row["group"]: row for row in advice_of(known, elsewhere)}
    # A missing prediction counts as an error of a factor of two: 100 ln 2 per cent.
    assert of["named"]["typical_%"] == pytest.approx(100 * np.log(2))


def tree(quantity: str, threshold: float, yes: str, no: str) -> pd.DataFrame:
    """Return the table of a decision tree that asks whether `quantity` is at most `threshold`.

    `yes` and `no` are the recommended model families.
    """
    nan = float("nan")
    rows = [
        (0, nan, None, quantity, threshold, None),
        (1, 0, "yes", None, nan, yes),
        (2, 0, "no", None, nan, no),
    ]
    return pd.DataFrame(rows, columns=["node", "parent", "side", "quantity", "threshold", "family"])


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("paired_with", "smal", "no other census is called 'smal'; did you mean small"),
        ("paired_with", "other", "no other census is called 'other'"),
        ("seed", 9, "other connections than small: seed is 9, not 1"),
        ("unimpaired", 0.5, "unimpaired is 0.5, not 0.2"),
        ("draw/more", {"law": "uniform", "low": 0, "high": 1}, "draw.more is "),
        ("draw/rtt/high", 0.9, "draw.rtt is "),
        ("set/path.buffer_packets", 7, "set.path.buffer_packets is 7, not None"),
        ("scenario/tcp/mss_bytes", 1400, "scenario.tcp.mss_bytes is 1400, not 1000"),
        ("impairments/handoffs/set/handoffs/packets", 2, "impairments is "),
        ("conditions", ["product_packets"], "conditions is "),
    ],
)
@pytest.mark.parametrize("alone", [False, True])
def test_paired_censuses_need_the_same_connections(
    tmp_path: Path, key: str, value: Any, message: str, alone: bool
) -> None:
    written(tmp_path)
    other = tmp_path / "other.yaml"
    other.write_text(yaml.safe_dump(changed("points", 32), sort_keys=False), encoding="utf-8")
    assert set(load_censuses(tmp_path)) == {"other", "small"}
    assert load_census(other).census.paired_with == "small"
    other.write_text(yaml.safe_dump(changed(key, value), sort_keys=False), encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_census(other) if alone else load_censuses(tmp_path)
    (problem,) = caught.value.problems
    assert (problem.key, problem.file) == ("paired_with", str(other))
    assert message in problem.message


def test_a_census_cannot_be_paired_with_a_paired_one(tmp_path: Path) -> None:
    written(tmp_path)
    for name, pair in (("other", "small"), ("third", "other")):
        content = yaml.safe_dump(changed("paired_with", pair), sort_keys=False)
        (tmp_path / f"{name}.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="other is itself paired with small"):
        load_censuses(tmp_path)


def test_an_error_of_the_paired_census_names_its_file(tmp_path: Path) -> None:
    written(tmp_path, points=0)
    other = tmp_path / "other.yaml"
    other.write_text(yaml.safe_dump(changed("points", 32), sort_keys=False), encoding="utf-8")
    for read in (lambda: load_census(other), lambda: load_censuses(tmp_path)):
        with pytest.raises(ConfigurationError) as caught:
            read()
        (problem,) = caught.value.problems
        assert (problem.key, problem.file) == ("points", str(tmp_path / "small.yaml"))


def test_paired_censuses_need_the_same_order_of_quantities(tmp_path: Path) -> None:
    laws = {
        "rtt": SMALL["draw"]["rtt"],
        "tcp.variant": {"law": "choice", "values": ["newreno", "sack"]},
    }
    written(tmp_path, draw=laws)
    other = tmp_path / "other.yaml"
    cubic = laws | {"tcp.variant": {"law": "choice", "values": ["cubic"]}}
    tcp = {**SMALL["scenario"]["tcp"], "stack": "linux-6.18"}
    content = {**SMALL, "paired_with": "small", "draw": cubic}
    content["scenario"] = {**SMALL["scenario"], "tcp": tcp}
    other.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    assert set(load_censuses(tmp_path)) == {"other", "small"}
    content["draw"] = dict(reversed(cubic.items()))
    other.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="another order"):
        load_censuses(tmp_path)


def test_paired_latin_hypercubes_need_the_same_number_of_points(tmp_path: Path) -> None:
    written(tmp_path, design="latin-hypercube")
    other = tmp_path / "other.yaml"
    content = {**SMALL, "design": "latin-hypercube", "paired_with": "small", "points": 32}
    other.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="points is 32, not 64"):
        load_censuses(tmp_path)


def test_the_shipped_linux_census_has_the_points_of_the_other_one() -> None:
    from tcpgoodput.comparison.census.design import Chunk, drawn

    spaces = load_censuses(ROOT / "config" / "census")
    kernel, other = (
        {c.number: c for c in drawn(spaces[name], Chunk(0, 64))}
        for name in ("linux", "connections")
    )
    assert kernel.keys() == other.keys()
    for number, connection in kernel.items():
        pair = other[number]
        assert connection.impairments == pair.impairments
        assert connection.scenario.tcp.stack is not None
        sender = {"id", "tcp"}
        apart = connection.scenario.model_dump(exclude=sender)
        assert apart == pair.scenario.model_dump(exclude=sender)
