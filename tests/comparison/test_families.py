"""Families of models: one model represents its family on each scenario."""

from __future__ import annotations

import pandas as pd
import pytest

from tcpgoodput.comparison.families import families_of, represented, short_names
from tcpgoodput.comparison.schema import Family

FAMILY = Family(label="F", models=["first", "second", "third"])
MODELS = ["alone", "first", "second", "third"]


def rows(**statuses: str) -> pd.DataFrame:
    known = ["first", "second", "third", "alone"]
    data = [{"scenario": "s", "model": m, "status": statuses.get(m, "undefined")} for m in known]
    return pd.DataFrame(data).assign(log_error=[9.0, 0.0, 0.0, 0.0])


def test_a_model_without_a_family_forms_its_own() -> None:
    families = families_of([FAMILY], MODELS)
    assert families == {"first": ["first", "second", "third"], "alone": ["alone"]}
    assert list(families_of([], MODELS)) == MODELS


@pytest.mark.parametrize(
    ("statuses", "model"),
    [
        ({}, "first"),
        ({"second": "out-of-domain"}, "second"),
        ({"first": "out-of-domain", "second": "reduced"}, "second"),
        ({"first": "reduced", "third": "native"}, "third"),
        ({"first": "native", "second": "native", "third": "native"}, "first"),
    ],
)
def test_the_first_model_of_the_best_status_represents_a_family(
    statuses: dict[str, str], model: str
) -> None:
    found = represented(rows(**statuses), families_of([FAMILY], MODELS))
    assert list(found["family"]) == ["first", "alone"]
    assert found["model"][0] == model


def test_scenarios_and_families_keep_their_order() -> None:
    both = pd.concat([rows().assign(scenario=name) for name in ("z", "a")])
    found = represented(both, families_of([FAMILY], MODELS))
    assert list(found["scenario"]) == ["z", "z", "a", "a"]


def test_an_id_is_shortened_to_its_unique_prefix() -> None:
    names = short_names(["s01-a", "s02-b", "s02-c", "plain", "s01-a"])
    assert names == {"s01-a": "s01", "s02-b": "s02-b", "s02-c": "s02-c", "plain": "plain"}
