"""A printed number agrees if the recomputed one is within half a last digit, or the limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.claims.data import Data, tables_in
from tcpgoodput.comparison.claims.files import load_claims
from tcpgoodput.comparison.claims.verdicts import Outcome, judgements_of
from tcpgoodput.comparison.printed.rows import COLUMNS, rows_of
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.report.claims import printed_tex
from tcpgoodput.storage import csv_text, write_text
from tcpgoodput.studies.answering import answers_path
from tcpgoodput.studies.schema import TableFigure
from tests import shipped
from tests.claims.made_up import STYLE, MadeUp, configuration, tiny_study
from tests.printed.test_files import TEST, load

RowOf = Callable[..., dict[str, str]]


@pytest.fixture
def row(tmp_path: Path) -> RowOf:
    """Return a function that returns the record of an entry with the given keys.

    Linux and the model have the given value.
    """

    def record(keys: str, value: float, half_width: float = 0) -> dict[str, str]:
        entry = f"source: mathis\nprinted:\n  - {{what: a number, where: section 1, {keys}}}\n"
        rows = [("a", name, 0.01, value) for name in ("mathis", "linux")]
        frame = pd.DataFrame(rows, columns=["panel", "series", "x", "y"])
        measured = frame["series"] == "linux"
        frame["setting"] = "newreno"
        frame["y_low"] = frame["y"].where(measured) - half_width
        frame["y_high"] = frame["y"].where(measured) + half_width
        path = answers_path(tmp_path, "mathis", "sweep")
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.to_csv(path, index=False)
        data = Data(tiny_study(), STYLE, Conditions(), tables_in(tmp_path, "mathis"))
        return rows_of(load(tmp_path, entry), data, [])[0].record("mathis")

    return record


MODEL = "data: {model: {figure: sweep, series: mathis, take: first}}"
LINUX = "data: {linux: {figure: sweep, series: linux, take: first}}"


@pytest.mark.parametrize(
    ("printed", "value", "agrees"),
    [
        ("8.68", 8.684, "yes"),
        ("8.68", 8.686, "no"),
        ("≈ 315", 315.4, "yes"),
        ("1.4e3", 1449.0, "yes"),
        ("1.4e3", 1451.0, "no"),
        ("2/3", 0.66666667, "yes"),
        ("2/3", 0.667, "no"),
        ("> 60", 60.0, "no"),
        ("≤ 33", 33.0, "yes"),
        ("10 to 100", 100.0, "yes"),
        ("10 to 100", 9.9, "no"),
    ],
)
def test_a_number_agrees_to_its_last_digit_or_limit(
    row: RowOf, printed: str, value: float, agrees: str
) -> None:
    found = row(f'printed: "{printed}", {MODEL}', value)
    assert (found["agree"], found["model_agrees"], found["kind"]) == (agrees, agrees, "result")
    assert float(found["model"]) == pytest.approx(value)


@pytest.mark.parametrize(
    ("printed", "half_width", "agrees"),
    [
        ("30", 0.4, "yes"),
        ("30", 2.0, "within interval"),
        ("20", 2.0, "no"),
        ("< 31", 0.4, "yes"),
        ("< 31", 2.0, "undecided"),
        ("< 27", 2.0, "no"),
    ],
)
def test_a_measured_number_agrees_with_its_whole_interval(
    row: RowOf, printed: str, half_width: float, agrees: str
) -> None:
    found = row(f'printed: "{printed}", {LINUX}', 30.0, half_width)
    assert found["agree"] == agrees
    assert float(found["linux_low"]) == pytest.approx(30 - half_width)
    assert found["linux_setting"] == "newreno"


def test_a_stated_tolerance_replaces_that_of_the_last_digit(row: RowOf) -> None:
    keys = f'printed: "720", tolerance: 5, {MODEL}'
    assert row(keys, 715.2)["agree"] == "yes"
    assert row(keys, 714.9)["agree"] == "no"


def test_a_setting_is_that_of_the_figures_scenario(row: RowOf) -> None:
    keys = 'printed: "{}", setting: {{figure: sweep, key: tcp.mss_bytes}}'
    found = row(keys.format(1448), 1.0)
    values = [found[key] for key in ("kind", "agree", "model", "linux")]
    assert values == ["setting", "yes", "1448", "1448"]
    assert row(keys.format(1460), 1.0)["agree"] == "no"


@pytest.mark.parametrize(("half", "agrees"), [("12, 12", "no"), ("12, 13", "yes")])
def test_several_numbers_are_compared_in_order(row: RowOf, half: str, agrees: str) -> None:
    selection = "{figure: sweep, series: mathis, take: first"
    keys = f'printed: "{half}", data: {{model: [{selection}}}, {selection}, times: 1.08333333}}]}}'
    found = row(keys, 12.0)
    assert (found["agree"], found["model"]) == (agrees, "12, 13")


def test_as_many_numbers_must_be_selected_as_are_printed(row: RowOf) -> None:
    with pytest.raises(ConfigurationError, match="2 numbers are printed, 1 selected"):
        row(f'printed: "12, 13", {MODEL}', 12.0)


def test_an_unmeasured_number_is_not_tested(row: RowOf, tmp_path: Path) -> None:
    keys = 'printed: "1", data: {linux: {figure: waiting, series: linux, take: first}}'
    path = answers_path(tmp_path, "mathis", "waiting")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("panel,series,x,y,setting\n", encoding="utf-8")
    found = row(keys, 1.0)
    assert (found["agree"], found["linux"]) == ("not tested", "")
    assert "has not measured this yet" in found["note"]


@pytest.mark.parametrize(("value", "agrees"), [(1420.0, "yes"), (1480.0, "no")])
def test_a_number_of_a_claim_is_that_of_the_ledger(
    row: RowOf, tmp_path: Path, value: float, agrees: str
) -> None:
    row(f'printed: "1", {MODEL}', value)
    claims = load_claims(TEST / "claims" / "mathis.yaml", tiny_study())
    own = [claim for claim in claims.claims if claim.id == "fourteen-hundred"]
    data = Data(tiny_study(), STYLE, Conditions(), tables_in(tmp_path, "mathis"))
    judgements = judgements_of(replace(claims, claims=own), data)
    entry = (
        "source: mathis\nprinted:\n"
        "  - {what: throughput, where: here, claim: fourteen-hundred, times: -0.1, plus: 200}\n"
    )
    found = rows_of(load(tmp_path, entry), data, judgements)[0].record("mathis")
    assert (found["printed"], found["agree"], found["kind"]) == ("60", agrees, "claim")
    assert float(found["model"]) == pytest.approx(200 - value / 10)
    silent = Outcome("another timer", "", None, None, "", "no value", without_value=True)
    ours = [replace(one, outcomes=(*one.outcomes, silent)) for one in judgements]
    without = rows_of(load(tmp_path, entry), data, ours)[0].record("mathis")
    assert without["agree"] == agrees, "a setting without a value does not count"
    assert "no value with another timer" in without["note"]


def test_the_table_of_the_report_has_number_interval_and_agreement(
    row: RowOf, tmp_path: Path
) -> None:
    keys = f'printed: "< 31", unit: "%", {LINUX}'
    setting = 'printed: "1448", setting: {figure: sweep, key: tcp.mss_bytes}'
    untested = row('printed: "1997", untested: a date', 1.0)
    records = [row(keys, 30.0, 2.0), row(setting, 1.0), untested]
    write_text(tmp_path / "mathis" / "printed.csv", csv_text(COLUMNS, records))
    table = printed_tex(tiny_study(), tmp_path)
    assert r"a number (section 1)" in table
    assert r"$30$ ? {\scriptsize [$28$, $32$]}" in table  # undecided
    assert r"31 \%" in table
    # Simulator and model have columns always, of the others those that measured anything.
    assert r"\textbf{model} & \textbf{simulator} & \textbf{Linux}" in table
    assert "1 settings that our figures have as printed, 1 numbers that are not compared" in table
    assert "1448" not in table
    assert "1997" not in table
    (tmp_path / "mathis" / "printed.csv").unlink()
    assert printed_tex(tiny_study(), tmp_path) == "%\n"


@pytest.mark.parametrize("study", configuration().printed)
def test_every_selection_and_setting_can_be_compared(study: str) -> None:
    """Data of line figures are synthetic here; tables and settings have their real values."""
    printed, own = configuration().printed[study], configuration().sources[study]
    chosen = [i for i, number in enumerate(printed.numbers) if number.claim is None]
    numbers, lines = ([every[i] for i in chosen] for every in (printed.numbers, printed.lines))
    rows = rows_of(replace(printed, numbers=numbers, lines=lines), MadeUp(own), [])
    assert len(rows) == len(chosen)
    settings = [row.agree for row in rows if row.kind == "setting"]
    assert settings.count("yes") > 0.8 * len(settings)
    figures = own.figures.figures
    of_tables = [
        row.agree
        for row in rows
        for selections in row.number.data.values()
        if all(isinstance(figures.get(one.figure or ""), TableFigure) for one in selections)
    ]
    assert set(of_tables) <= {"yes"}
    assert bool(of_tables) == (study == "packet_trains")


def test_every_published_study_lists_its_printed_numbers() -> None:
    configuration = shipped.configuration()
    published = [n for n, s in configuration.sources.items() if not s.figures.ours]
    assert list(configuration.printed) == published
    for name, printed in configuration.printed.items():
        compared = [number for number in printed.numbers if number.untested is None]
        assert len(printed.numbers) >= 25, name
        assert len(compared) > 0.7 * len(printed.numbers), name
