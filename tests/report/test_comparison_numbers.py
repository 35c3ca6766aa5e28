"""What is made of the comparison's tables, against a table by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from tcpgoodput.comparison.schema import Variation
from tcpgoodput.report.comparison_numbers import as_if_each, of_another

DELAYED = {"tcp.ack_every": 2}
KERNEL = {"tcp.stack": "linux-6.18"}


def again(**changes: dict[str, object]) -> dict[str, Variation]:
    return {n: Variation.model_validate({"label": n, "set": c}) for n, c in changes.items()}


def test_a_variation_meets_the_one_that_has_all_but_its_packets_per_ack() -> None:
    every = again(b2=DELAYED, linux=KERNEL, both={**KERNEL, **DELAYED}, odd={**DELAYED, "a": 1})
    assert as_if_each(every) == {"b2": "", "both": "linux"}


def test_errors_are_of_one_variation_s_answers_and_another_s_measurements() -> None:
    columns = ["scenario", "family", "status", "goodput_bps", "simulated_bps"]
    rows = [
        ("s", "one", "native", 8.0, 9.0),
        ("s-b2", "one", "native", 6.0, 4.0),
        ("s", "other", "native", 8.0, 9.0),
        ("s-b2", "other", "reduced", 6.0, 4.0),
        ("t", "one", "out-of-domain", 8.0, 9.0),
        ("t-b2", "one", "native", 6.0, 4.0),
    ]
    table = pd.DataFrame(rows, columns=columns)
    (error,) = of_another(table, {"s", "t"}, "b2", "")
    assert error == pytest.approx(math.log(8 / 4))
