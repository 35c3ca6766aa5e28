"""Keys in the URL of the explorer (a web page) change a scenario as the option --set does.

No URL can read another file, and errors give clear messages.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pytest
import yaml

from tcpgoodput.cli.explorer import my_link
from tcpgoodput.cli.explorer.answering import OWN
from tcpgoodput.cli.explorer.page import MOST_CHANGES, own, presets, scenario_of_url
from tcpgoodput.configuration import ConfigurationError, Document, read
from tcpgoodput.scenario.files import ScenarioRequest, scenario_request
from tests.folders import ROOT
from tests.scenarios import PLAIN

Known = dict[str, ScenarioRequest]


@pytest.fixture
def known(tmp_path: Path) -> Known:
    trace = tmp_path / "trace.csv"
    trace.write_text("time_s,capacity_bps\n0,1000000\n1,2000000\n", encoding="utf-8")
    (tmp_path / "other.csv").write_text("time_s,capacity_bps\n0,5\n", encoding="utf-8")
    file = tmp_path / "traced.yaml"
    capacity = {"process": "trace", "file": "trace.csv"}
    file.write_text(yaml.safe_dump({**PLAIN, "id": "traced", "capacity": capacity}))
    documents = [Document("plain", PLAIN), read(file)]
    return {document.data["id"]: scenario_request(document, None) for document in documents}


CHANGES = [("path.rate_bps", "2e6"), ("loss", '{"process":"bernoulli","probability":0.02}')]


def test_an_address_changes_keys_like_set(known: Known) -> None:
    name = PLAIN["id"]
    address = urlencode([("scenario", name), *CHANGES])
    found = scenario_of_url(parse_qsl(address), known)
    result = scenario_request(known[name].document, [f"{key}={value}" for key, value in CHANGES])
    assert found.scenario == result.scenario
    assert found.scenario.path.rate_bps == 2e6
    assert found.heading == result.heading


def test_a_number_in_an_address_may_have_a_unit(known: Known) -> None:
    pairs = [("path.rate_bps", "3M"), ("path.forward_delay_s", "30 ms"), ("title", "30 ms")]
    found = scenario_of_url([("scenario", PLAIN["id"]), *pairs], known).scenario
    assert (found.path.rate_bps, found.path.forward_delay_s, found.title) == (3e6, 0.03, "30 ms")


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("scenario", "plane")], "no scenario is called 'plane'"),
        ([("path.rate_bps", "-1")], "path.rate_bps=-1"),
        ([("path.rate_bps", "!!python/object:os.system x")], "not allowed"),
        ([("path.rate", "1")], "did you mean rate_bps"),
        ([("path.rate_bps", "1" * 3000)], "too long"),
        ([(f"path.x{n}", "1") for n in range(MOST_CHANGES + 1)], "too long"),
        ([("capacity", "{process: trace, file: /etc/passwd}")], "reads no other file"),
        ([("capacity.process", "trace"), ("capacity.file", "other.csv")], "reads no other file"),
    ],
)
def test_an_invalid_address_is_one_message(
    known: Known, pairs: list[tuple[str, str]], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message) as refusal:
        scenario_of_url([("scenario", PLAIN["id"]), *pairs], known)
    assert len(str(refusal.value)) <= 1200


def test_the_file_that_the_scenario_names_is_read(known: Known) -> None:
    found = scenario_of_url([("scenario", "traced"), ("tcp.variant", "reno")], known)
    assert found.scenario.capacity is not None
    with pytest.raises(ConfigurationError, match="reads no other file"):
        scenario_of_url([("scenario", "traced"), ("capacity.file", "other.csv")], known)


def test_an_unknown_name_is_refused() -> None:
    assert own([("points", "5"), ("path.rate_bps", "1")], OWN)["points"] == "5"
    with pytest.raises(ConfigurationError, match="did you mean points"):
        own([("point", "5")], OWN)


def test_presets_are_the_named_scenario_my_link_and_those_of_the_project(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    found = presets(Document("mine", PLAIN))
    assert [*found][:2] == [PLAIN["id"], my_link.NAME]
    assert len(found) == 2 + len(list(ROOT.glob("config/scenarios/**/*.yaml")))
