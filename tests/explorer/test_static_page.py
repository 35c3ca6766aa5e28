"""The explorer's static web page has all results of a run in one file, and loads no other file."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
from typing import Any

import pytest
from PIL import Image

from tcpgoodput.answers import Precision
from tcpgoodput.cli.explorer import my_link
from tcpgoodput.cli.explorer.answering import OWN, values_of
from tcpgoodput.cli.explorer.page import PARTS, SCRIPTS, as_data, figures, own, scenario_of_url
from tcpgoodput.comparison.requests import SWEEP_POINTS, SWEPT_KEYS, sweeps_of
from tcpgoodput.configuration import read
from tcpgoodput.drawing.thumbnail import WIDEST
from tcpgoodput.scenario.files import scenario_request
from tests import shipped
from tests.explorer import made_up
from tests.folders import ROOT


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return made_up.page(tmp_path_factory.mktemp("static"))


@pytest.fixture(scope="module")
def page_data(page: str) -> dict[str, Any]:
    return json.loads(
        re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page)[1]
    )


def test_the_static_page_fetches_nothing(page: str) -> None:
    named = set(re.findall(r"""https?://[^\s"'`)<]+""", page))
    assert named <= {"http://www.w3.org/2000/svg"}  # the name of an XML namespace is not a link
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=[\"'](?!data:)", page)
    assert "@import" not in page


def test_every_script_is_listed_once() -> None:
    files = {file.name for file in PARTS.iterdir()}
    assert files == {*(f"{n}.js" for n in SCRIPTS), "page.html", "page.css", "questions.json"}


def test_the_static_page_has_the_runs_answer_for_each_scenario(page_data: dict[str, Any]) -> None:
    assert set(page_data["answers"]) == {preset["id"] for preset in page_data["presets"]}
    for records in page_data["answers"].values():
        assert [r["kind"] for r in records] == ["scenario", "answer", "window", "without"]
        assert records[1]["simulation"]["goodput_bps"] > 0


def test_the_page_begins_with_a_link_on_which_one_model_is_advised(
    page_data: dict[str, Any],
) -> None:
    described, answer, _, _ = page_data["answers"][page_data["begin"]]
    assert "20 Mbit/s, 60 ms, 1 % loss" in described["heading"]
    advice = answer["advice"]
    assert advice["models"]
    assert advice["kind"] == "independent loss"
    assert not advice["outside"]
    assert "wall_s" not in answer["simulation"]  # equal runs make equal pages


def test_a_figure_in_another_setting_belongs_to_a_figure_with_a_picture() -> None:
    every = {(f["source"], f["name"]): f for f in figures(shipped.configuration())}
    others = [figure for figure in every.values() if figure["of"]]
    assert len(others) > len(every) / 3
    for figure in others:
        assert figure["picture"] is None
        assert figure["setting"] in figure["title"]
        assert every[figure["source"], figure["of"]]["picture"]


def test_sweeps_have_three_keys_with_models_and_measurements(page_data: dict[str, Any]) -> None:
    for sweeps in page_data["sweeps"].values():
        assert 1 <= len(sweeps) <= SWEPT_KEYS
        for sweep in sweeps:
            head, *points = sweep["records"]
            assert head["values"] == [point["x"] for point in points]
            assert all(point["rows"][-1]["series"] == "packet" for point in points)
            assert all(len(point["rows"]) > 15 for point in points)


@pytest.mark.parametrize("precision", ["draft", "paper"])
def test_every_scenario_has_sweeps_with_sorted_values(precision: Precision) -> None:
    for scenario in shipped.comparison().scenarios.values():
        sweeps = sweeps_of(scenario, precision)
        assert len(sweeps) == SWEPT_KEYS, scenario.id
        for values in sweeps.values():
            assert 1 <= len(values) <= SWEEP_POINTS[precision]
            assert values == sorted(values)


def test_matrix_and_claims_equal_those_of_the_run(page_data: dict[str, Any]) -> None:
    matrix = page_data["library"]["matrix"]
    compared = {preset["id"] for preset in page_data["presets"]} - {my_link.NAME}
    assert {row["scenario"] for row in matrix["rows"]} == compared
    families = [family["id"] for family in matrix["families"]]
    for row in matrix["rows"]:
        assert [cell["family"] for cell in row["cells"]] == families
    claims = page_data["library"]["claims"]["rows"]
    assert claims
    assert claims[0]["verdicts"][0]["verdict"] == "reproduced"


def test_pictures_are_reduced_and_tables_complete(page_data: dict[str, Any]) -> None:
    for figure in page_data["library"]["figures"]:
        packed = base64.b64decode(page_data["tables"][figure["data"]])
        assert gzip.decompress(packed) == b"x,y\n1,2\n"
        if figure["picture"]:
            content = page_data["pictures"][figure["picture"]].partition(",")[2]
            with Image.open(io.BytesIO(base64.b64decode(content))) as image:
                assert image.width == WIDEST


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "<!--", "\u2028 ü @SCRIPT@"]
)
def test_embedded_text_cannot_close_the_script_element(text: str) -> None:
    written = as_data({"title": text})
    assert "<" not in written
    assert json.loads(written) == {"title": text}


def test_addresses_of_the_initial_questions_are_valid() -> None:
    for question in json.loads((PARTS / "questions.json").read_text(encoding="utf-8")):
        file = ROOT / "config/scenarios" / f"{question['scenario']}.yaml"
        known = {question["scenario"]: scenario_request(read(file), None)}
        pairs = [("scenario", question["scenario"]), *question["changes"].items()]
        scenario_of_url(pairs, known)
        settings = own(pairs, OWN if question["view"] == "sweep" else {})
        if question["view"] == "sweep":
            assert len(values_of(settings)) >= 10
