"""Configuration files of strangers: refused in little time, and safe to print on a terminal."""

from __future__ import annotations

import json
import time
import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.cli.app import run
from tcpgoodput.configuration import ConfigurationError, Problem, parse
from tcpgoodput.configuration.problems import alternatives, nearest
from tcpgoodput.configuration.strict_yaml import MAX_ENTRIES
from tcpgoodput.configuration.terminal import visible
from tcpgoodput.project.settings import check_document
from tcpgoodput.scenario.files import scenario_request
from tcpgoodput.studies.expressions import evaluate

SECONDS = 8.0
"""Longest time for a refusal; measured times are below 2 s, and before the limits above 10 s."""

SCENARIO = """
id: a
title: A link
tcp: {variant: sack, mss_bytes: 1448}
path: {rate_bps: 2e7, forward_delay_s: 0.03, backward_delay_s: 0.03}
"""

HUGE = 990_000

SLOW = {
    "unknown keys": SCENARIO + "".join(f"k{i}: {i}\n" for i in range(20_000)),
    "unknown keys of a part": SCENARIO
    + "loss: {process: bernoulli, probability: 0.1, "
    + ", ".join(f"k{i}: {i}" for i in range(20_000))
    + "}",
    "only unknown keys": "".join(f"tpc{i}: {i}\n" for i in range(40_000)),
    "duplicate keys": SCENARIO + "title: b\n" * 30_000,
    "wrong entries of a list": "sources: [" + "{a: 1}," * 25_000 + "]\nprecision: paper\n",
    "wrong parts of a mapping": "font_size_pt: 9\ntext_width_cm: 16\nmodels: {"
    + ",".join(f"m{i}: {{label: 1}}" for i in range(9_000))
    + "}\n",
    "files of models": "sources: [a]\nmodels: [" + "m.py," * 20_000 + "]\n",
    "a wide list": "sources: [" + "1," * (HUGE // 2) + "]\n",
    "nested lists": "[" + ("[" * 38 + "]" * 38 + ",") * 12_000 + "]",
    "blanks after a colon": "title: a: a: " + " " * 40_000 + "x: y\n",
    "blanks before a colon": "title: x" + " " * 40_000 + ": y\n",
    "dashes": "- " * 30 + "- a" * 100_000 + ": b: c\n",
    "a long key": SCENARIO + "? " + "k" * HUGE + "\n: 1\n",
    "a long name": SCENARIO.replace("sack", "s" * HUGE),
    "a long number": SCENARIO.replace("2e7", "1" * HUGE),
    "documents": "---\na: 1\n" * 100_000,
    "tags": "- !a 1\n" * 120_000,
    "anchors": "- &a 1\n" * 120_000,
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_a_huge_file_is_refused_in_little_time(text: str) -> None:
    start = time.process_time()
    with pytest.raises(ConfigurationError) as error:
        check_document(parse(text, "file.yaml"))
    assert time.process_time() - start < SECONDS
    assert str(error.value).startswith("file.yaml")
    assert len(str(error.value)) <= 1200


def test_changes_by_set_do_not_multiply_the_time_of_many_problems() -> None:
    document = parse(SLOW["unknown keys"], "file.yaml")
    start = time.process_time()
    with pytest.raises(ConfigurationError, match=r"and 199.. more problems"):
        scenario_request(document, ["path.rate_bps=1e7"])
    assert time.process_time() - start < SECONDS


def test_every_problem_of_a_huge_file_is_counted() -> None:
    with pytest.raises(ConfigurationError) as error:
        scenario_request(parse(SLOW["unknown keys"], "file.yaml"), None)
    assert len(error.value.problems) == 20_000
    assert {p.line for p in error.value.problems} == set(range(6, 20_006))


def test_a_file_has_a_largest_number_of_entries() -> None:
    with pytest.raises(ConfigurationError, match=r"file.yaml:\d+: has more than \d+ keys"):
        parse("- 1\n" * (MAX_ENTRIES + 1), "file.yaml")
    assert len(parse("- 1\n" * (MAX_ENTRIES - 2), "file.yaml").data) == MAX_ENTRIES - 2


@pytest.mark.parametrize(
    "text",
    [
        "'a' * 1000000000",
        "f'{1:999999999}'",
        "round(5, -999999999)",
        "round(5, 999999999)",
        "-" * 295 + "1",
        "(" * 140 + "1" + ")" * 140,
        "9 ** 9 ** 9",
        "1 if 2 else 3",
        "b'a' * 999999999",
        "1j",
        "x if x else x",
        "(lambda: 1)()",
        "[1] * 999999999",
        "max(*x)",
    ],
)
def test_an_expression_takes_little_time_and_memory(text: str) -> None:
    start = time.process_time()
    with suppress(ValueError):
        assert isinstance(evaluate(f"= {text}", {"x": 1.0}), int | float)
    assert time.process_time() - start < 1


LENGTHS = [*range(0, 1300, 50), *range(1165, 1205), 5000, 100_000]


@pytest.mark.parametrize("others", [0, 1, 3, 20])
def test_the_first_problem_is_always_reported(others: int) -> None:
    for length in LENGTHS:
        first = Problem("a.csv", 1, "", "begin " + "x" * length + " end")
        further = [Problem("b.csv", i + 1, "", "y" * 300) for i in range(others)]
        report = str(ConfigurationError([*further, first]))
        assert report.startswith("a.csv:1: begin x"[: 15 + bool(length)])
        assert report.splitlines()[0].endswith(" end")
        assert len(report) <= 1200
        shown = len(report.splitlines())
        if shown < others + 1:
            rest = others + 2 - shown
            assert report.endswith(f"and {rest} more problem{'s' * (rest > 1)}")


UNSAFE = "\x00\x07\r\x1b\x7f\x85\x9b\u061c\u200e\u2028\u202a\u202e\u2066\u2069\ufeff\ufff9"


@pytest.mark.parametrize("character", UNSAFE)
def test_texts_have_no_characters_that_steer_a_terminal(character: str) -> None:
    text = SCENARIO.replace("A link", json.dumps(f"A {character}link"))
    with pytest.raises(ConfigurationError, match=r"title: .*the control character"):
        scenario_request(parse(text, "file.yaml"), None)


@given(st.text())
def test_visible_text_steers_no_terminal_and_is_the_same_json(text: str) -> None:
    shown = visible(text)
    kinds = {unicodedata.category(c) for c in shown if c not in "\n\t\u00ad\u200c\u200d"}
    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert json.loads(visible(json.dumps(text, ensure_ascii=False))) == text
    if text.isprintable():
        assert shown == text


def test_ordinary_text_is_printed_as_it_is() -> None:
    for text in ("a\tb\n", "ü µ ± 1 kB", "می‌خواهم", "👩‍🔬", "é 日本語"):
        assert visible(text) == text


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = run(arguments)
    return status, "".join(capsys.readouterr())


@pytest.mark.parametrize("place", ["key", "value", "file", "set", "duplicate", "syntax"])
@pytest.mark.parametrize("character", ["\x1b", "\x9b", "\u202e"])
def test_messages_make_characters_of_files_visible(
    place: str, character: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, text = "a.yaml", SCENARIO
    arguments: list[str] = []
    quoted = json.dumps(f"a{character}b")
    match place:
        case "key":
            text += f"{quoted}: 1\n"
        case "value":
            text = text.replace("sack", quoted)
        case "file":
            name, text = f"a{character}.yaml", text + "x: 1"
        case "set":
            arguments = ["--set", f"tcp.a{character}b=1"]
        case "duplicate":
            text += f"{quoted}: 1\n" * 2
        case "syntax":
            text += f"x: !a{character}b 1\n"
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    status, output = printed(["predict", str(file), *arguments], capsys)
    assert status == 2
    assert character not in output


MODEL = "import pathlib\npathlib.Path('ran').touch()\nraise RuntimeError('stop')\n"


@pytest.fixture
def folder_of_a_stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "code.py").write_text(MODEL)
    (tmp_path / "config" / "config.yaml").write_text("sources: [a]\nmodels: [code.py]\n")
    (tmp_path / "link.yaml").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", [["check"], ["show"], ["show", "--json"], ["check", "--json"]])
def test_the_check_of_a_scenario_runs_no_code(
    command: list[str], folder_of_a_stranger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _ = printed([*command, "link.yaml"], capsys)
    assert status == 0
    assert not (folder_of_a_stranger / "ran").exists()


@pytest.mark.parametrize(
    "command",
    [["predict", "link.yaml"], ["models"], ["check"], ["check", "config/config.yaml"]],
)
def test_code_of_a_folder_is_named_before_it_is_run(
    command: list[str], folder_of_a_stranger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output = printed(command, capsys)
    assert status == 2
    assert (folder_of_a_stranger / "ran").exists()
    assert output.startswith("running config/code.py")
    assert "config/config.yaml" in output.splitlines()[0]


NAMES = ["mathis", "altman", "cardwell", "pftk", *(f"family.model_{i}" for i in range(20))]


@pytest.mark.parametrize(
    ("name", "names", "suggested", "listed"),
    [
        ("matis", NAMES, ["mathis"], False),
        ("family.model", NAMES, ["family.model_"], False),
        ("zzz", NAMES, [], True),
        ("matis", NAMES[:4], ["mathis"], True),
        ("x" * 1_000_000, NAMES, [], True),
    ],
)
def test_a_long_list_of_names_does_not_hide_the_similar_ones(
    name: str, names: list[str], suggested: list[Any], listed: bool
) -> None:
    text = alternatives(name, names)
    assert all(part in text for part in suggested)
    assert bool(suggested) == ("did you mean" in text)
    assert ("allowed: " in text) == listed
    assert nearest(name, names).count("family.model") <= 3
