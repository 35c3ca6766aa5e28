"""Factors between a model and the simulation are printed with equally many digits."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pandas as pd
import pytest

from tcpgoodput.api.compare import Comparison
from tcpgoodput.comparison.compare import error, times


@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (1.0, "1.00×"),
        (0.9999, "1.00×"),
        (1.018, "1.02×"),
        (0.98349, "0.983×"),
        (12.0, "12.0×"),
        (123.4, "123×"),
        (99.99, "100×"),
        (12345.0, "1.23e+04×"),
    ],
)
def test_a_factor_has_three_significant_digits(factor: float, text: str) -> None:
    assert times(factor) == text
    assert error({"log_error": math.log(factor)}) == text


def test_a_prediction_without_error_has_no_factor() -> None:
    assert error({"log_error": None}) == ""


def test_a_comparison_in_python_shows_the_same_factors() -> None:
    row = {"goodput_bps": 1e6, "status": "native", "reduction": None, "reason": None}
    rows = [{**row, "name": "pftk", "log_error": 0.0}, {**row, "name": "mathis", "log_error": None}]
    advice = SimpleNamespace()
    found = Comparison(None, None, pd.DataFrame(rows), None, advice, None)  # type: ignore[arg-type]
    assert list(found._formatted()["model / simulated"]) == ["1.00×", ""]
