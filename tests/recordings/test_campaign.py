"""A campaign over recordings: what is missing is said, what is fitted is judged elsewhere."""

from __future__ import annotations

import csv
import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.models import CURVES
from tcpgoodput.recordings.__main__ import work
from tcpgoodput.recordings.campaign import Campaign, cases_of, links_of, load_campaign
from tests.folders import ROOT
from tests.recordings.made import written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a link of 2.4 Mbit/s for a minute, then of 4.8 Mbit/s for another."""
    slow, fast = np.arange(0, 60_000, 5), np.arange(60_000, 120_001, 2.5).astype(int)
    written(tmp_path / "drive.down", [*slow, *fast])
    return tmp_path


def campaign_of(folder: Path, **changes: Any) -> Campaign:
    text = (folder / "drive.down").read_bytes()
    recorded = {
        "title": "A drive",
        "file": "drive.down",
        "origin": "example.org/drives",
        "sha256": hashlib.sha256(text).hexdigest(),
    }
    keys: dict[str, Any] = {
        "round_trip_s": 0.04,
        "bin_s": 0.02,
        "buffers": [0.5, 4],
        "senders": [{"variant": "sack"}],
        "starts": 2,
        "warm_up_s": 5,
        "recordings": {"drive": recorded | changes},
    }
    file = folder / "campaign.yaml"
    file.write_text(yaml.safe_dump(keys), encoding="utf-8")
    return load_campaign(file)


def rows(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def test_models_know_the_first_half_and_are_judged_on_the_second(folder: Path) -> None:
    work(campaign_of(folder), folder, folder / "out", kernel=False)
    measured = {row["buffer_bdp"]: row for row in rows(folder / "out/measured.csv")}
    payload = 1448 / 1500
    assert float(measured["4.0"]["goodput_bps"]) == pytest.approx(4.8e6 * payload, rel=0.02)
    found = rows(folder / "out/answers.csv")
    fluid = [row for row in found if row["model"] == "variable_capacity.fluid"]
    assert fluid
    for row in fluid:
        is_told = row["view"] == "hindsight"
        assert (float(row["goodput_bps"]) > 2.4e6) == is_told
        assert float(row["simulated_bps"]) == float(measured[row["buffer_bdp"]]["goodput_bps"])
    about = rows(folder / "out/links.csv")[0]
    assert float(about["second_half_mean_bps"]) == pytest.approx(4.8e6, rel=1e-3)
    mine = {"link": "drive", "variant": "sack", "model": fluid[0]["model"]}
    curve = CURVES["links.error"](
        file=str(folder / "out/answers.csv"), view=fluid[0]["view"], **mine
    )
    by_hand = 100 * math.log(float(fluid[0]["goodput_bps"]) / float(fluid[0]["simulated_bps"]))
    assert curve.y[0] == pytest.approx(by_hand)
    assert curve.x.tolist() == [0.5, 4]


def test_a_recording_that_is_not_there_is_said_with_where_it_is_published(folder: Path) -> None:
    campaign = campaign_of(folder, file="other.down")
    with pytest.raises(ConfigurationError, match=r"neither other.down nor .* example.org/drives"):
        links_of(campaign, folder)


def test_another_recording_under_the_same_name_is_refused(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"is not what example\.org/drives has"):
        links_of(campaign_of(folder, sha256="0" * 64), folder)


def test_every_sender_meets_every_buffer(folder: Path) -> None:
    campaign = campaign_of(folder)
    cases = list(cases_of(campaign, links_of(campaign, folder)[0], folder / "scratch"))
    assert [case.scenario.path.buffer_packets for case in cases] == [6, 48]
    assert all(case.scenario.tcp.variant == "sack" for case in cases)


def test_the_campaign_that_ships_is_read_and_was_run_over_its_recordings() -> None:
    campaign = load_campaign(ROOT / "config/links.yaml")
    known = {row["link"]: row["sha256"] for row in rows(ROOT / "data/links/links.csv")}
    assert known == {name: r.sha256 for name, r in campaign.recordings.items()}
    measured = rows(ROOT / "data/links/measured.csv")
    assert len(measured) == len(known) * len(campaign.buffers) * len(campaign.senders)
    assert all(float(row["goodput_bps"]) > 0 for row in measured)
