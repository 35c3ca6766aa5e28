"""A campaign over recordings of links reports missing files, and tests models.

The models' parameters are from the first half of a recording, the test is on the second half.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import math
import sys
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.models import CURVES
from tcpgoodput.scenario.capacity.trace import read_capacity_trace, read_delay_trace
from tcpgoodput.studies.recordings.__main__ import known_at_levels, main, work
from tcpgoodput.studies.recordings.campaign import (
    Campaign,
    cases_of,
    links_of,
    load_campaign,
    places_s,
    scenario_over,
)
from tcpgoodput.studies.recordings.files import read_recording
from tcpgoodput.studies.recordings.judging import answers, scaled
from tcpgoodput.studies.recordings.measuring import CONNECTION, pieces_s
from tests.folders import ROOT
from tests.recordings.made import written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a recording: a minute with 2.4 Mbit/s, then a minute with 4.8 Mbit/s."""
    slow, fast = np.arange(0, 60_000, 5), np.arange(60_000, 120_001, 2.5).astype(int)
    written(tmp_path / "drive.down", [*slow, *fast])
    return tmp_path


def file_of(folder: Path, **changes: Any) -> Path:
    sha256 = hashlib.sha256((folder / "drive.down").read_bytes()).hexdigest()
    recorded = {"title": "A drive", "technology": "lte", "origin": "example.org/drives"}
    recorded |= {"file": "drive.down", "sha256": sha256, **changes}
    keys: dict[str, Any] = {"round_trip_s": 0.04, "bin_s": 0.02, "starts": 2, "warm_up_s": 5}
    keys |= {"buffers": [0.5, 4], "senders": [{"variant": "sack"}]}
    keys |= {"recordings": {"drive": recorded}}
    file = folder / "campaign.yaml"
    file.write_text(yaml.safe_dump(keys), encoding="utf-8")
    return file


def campaign_of(folder: Path, **changes: Any) -> Campaign:
    return load_campaign(file_of(folder, **changes))


def done(folder: Path) -> dict[str, dict[str, int]]:
    """Run the campaign, without Linux, and write to a folder `out`; return the numbers of rows."""
    request = {"campaign": file_of(folder), "output": folder / "out"}
    return work(argparse.Namespace(folder=folder, kernel=False, inputs=False, **request))


def rows(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def test_models_use_the_first_half_and_are_compared_on_the_second(folder: Path) -> None:
    done(folder)
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
    other = {"other_model": fluid[0]["model"], "other_view": fluid[0]["view"]}
    itself = CURVES["links.apart"](
        file=str(folder / "out/answers.csv"), view=fluid[0]["view"], **mine, **other
    )
    assert itself.landmarks["largest"] == 0
    assert curve.y_low is not None
    half = float(fluid[0]["ci95_bps"]) / float(fluid[0]["simulated_bps"])
    assert by_hand - curve.y_low[0] == pytest.approx(100 * math.log(1 + half))
    sent = CURVES["links.simulated"](
        file=str(folder / "out/measured.csv"), link="drive", variant="sack"
    )
    ends = [float(measured[f"{x:.1f}"]["ci95_bps"]) / 1e6 for x in sent.x]
    assert (sent.y_high - sent.y).tolist() == pytest.approx(ends)
    assert curve.x.tolist() == [0.5, 4]


KERNEL = """link,buffer_bdp,buffer_packets,variant,stack,engine,start_s,goodput_bps,measured_s
drive,4.0,48,sack,linux-6.18,linux,12.345,3000000,10
drive,4.0,48,sack,linux-6.18,linux,40.0,5000000,30
tunnel,4.0,48,sack,linux-6.18,linux,0.0,4000000,60
"""


def test_kernel_measurements_are_simulated_from_the_same_places(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out/kernel.csv").write_text(KERNEL, encoding="utf-8")
    done(folder)
    # The row of `tunnel` is left out, because this link has no recording.
    (row,) = rows(folder / "out/kernel_and_simulator.csv")
    assert (row["pieces"], row["measured_s"], row["kernel_bps"]) == ("2", "40.0", "4500000")
    assert float(row["simulated_bps"]) == pytest.approx(4.8e6 * 1448 / 1500, rel=0.02)
    own = {"link": "drive", "variant": "sack"}
    curve = CURVES["links.like_kernel"](file=str(folder / "out/kernel_and_simulator.csv"), **own)
    assert curve.y.tolist() == [float(row["simulated_bps"]) / 4.5e6]


def test_pieces_of_a_kernel_pass_cover_the_recording(folder: Path) -> None:
    campaign = campaign_of(folder)
    (link,) = links_of(campaign, folder)
    (case, *_) = cases_of(campaign, link, folder / "scratch")
    assert pieces_s(campaign, case) == [0]  # the second half, one minute, is one piece
    long = replace(link, second=link.whole)
    assert pieces_s(campaign, replace(case, link=long)) == [0, pytest.approx(60)]


def test_repeated_tables_have_no_new_rows(folder: Path) -> None:
    first, again = done(folder), done(folder)
    assert {Path(file).name for file in first} == {"measured.csv", "answers.csv", "links.csv"}
    assert all(result["new"] == result["rows"] > 0 for result in first.values())
    assert all(result["new"] == 0 for result in again.values())


def test_starting_places_are_even_and_the_link_continues_from_them(folder: Path) -> None:
    campaign = campaign_of(folder)
    whole = read_recording(folder / "drive.down")
    assert places_s(campaign, whole) == [0, pytest.approx(60.0)]
    late = whole.from_place(60)
    assert late.length_s == whole.length_s
    assert late.half(0).mean_bps == pytest.approx(4.8e6, rel=1e-3)
    assert late.half(1).mean_bps == pytest.approx(2.4e6, rel=1e-3)


def test_rate_and_delay_continue_from_the_same_place(folder: Path) -> None:
    delays = folder / "delays.txt"
    delays.write_text("10\n" * 6000 + "50\n" * 6000, encoding="ascii")
    late = read_recording(folder / "drive.down", delays).from_place(60)
    content = scenario_over(campaign_of(folder), late, folder / "late")
    _, rates = read_capacity_trace(content["capacity"]["file"])
    _, held = read_delay_trace(content["delay"]["file"])
    assert rates[:2900].mean() == pytest.approx(4.8e6, rel=1e-2)
    assert rates[3100:-1].mean() == pytest.approx(2.4e6, rel=1e-2)
    assert (set(held[:5990]), set(held[6010:-1])) == ({0.05}, {0.01})


def test_missing_or_changed_recordings_are_reported_with_their_source(folder: Path) -> None:
    delayed = {"delays": "drive.delays", "delays_sha256": "1" * 64, "sha256": "0" * 64}
    with pytest.raises(ConfigurationError) as caught:
        links_of(campaign_of(folder, **delayed), folder)
    wrong, missing = str(caught.value).split("\n")[::-1]
    assert "drive.delays: is not there, nor drive.delays.xz; it is published at exam" in missing
    assert "drive.down: is not what example.org/drives has: its SHA-256 is" in wrong


def test_delays_need_a_checksum(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="delays needs delays_sha256"):
        campaign_of(folder, delays="drive.delays")


def test_missing_folder_argument_reports_where_recordings_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = ["--output", str(folder / "out"), "--summary", str(folder / "summary.json")]
    command = ["recordings", "--campaign", str(file_of(folder)), *output]
    monkeypatch.setattr(sys, "argv", command)
    assert main() == 2
    assert "published at example.org/drives" in capsys.readouterr().err
    assert not (folder / "out").exists()
    assert not (folder / "summary.json").exists()


def test_another_drive_of_the_same_technology_is_scaled_to_the_first_half(folder: Path) -> None:
    campaign = campaign_of(folder)
    here = links_of(campaign, folder)[0]
    faster = np.arange(0, 60_001, 1)  # 12 Mbit/s in the first half, almost nothing in the second
    file = written(folder / "other.down", [*faster, 120_000])
    other = replace(here, name="other", whole=read_recording(file))
    elsewhere = replace(other, recorded=other.recorded.model_copy(update={"technology": "umts"}))
    (folder / "scratch").mkdir()
    found = list(answers(campaign, here, [here, other], folder / "scratch"))
    another = [row for row in found if row["view"] == "another"]
    assert {(row["drive"], row["model"]) for row in another} == {
        ("other", "variable_capacity.fluid")
    }
    times_s, rates_bps = read_capacity_trace(folder / "scratch/drive-other.capacity.csv")
    mean_bps = rates_bps[:-1] @ np.diff(times_s) / times_s[-1]
    # The other recording's rates were scaled to the mean of the first half of `drive`.
    assert mean_bps == pytest.approx(2.4e6, rel=1e-3)
    none = answers(campaign, here, [here, elsewhere], folder / "scratch")
    assert not [row for row in none if row["view"] == "another"]


def test_every_sender_is_combined_with_every_buffer(folder: Path) -> None:
    campaign = campaign_of(folder)
    cases = list(cases_of(campaign, links_of(campaign, folder)[0], folder / "scratch"))
    assert [case.scenario.path.buffer_packets for case in cases] == [6, 48]
    assert all(case.scenario.tcp.variant == "sack" for case in cases)


def test_the_shipped_tables_belong_to_the_shipped_campaign() -> None:
    campaign = load_campaign(ROOT / "config/links.yaml")
    known = {row["link"]: row["sha256"] for row in rows(ROOT / "data/links/links.csv")}
    assert known == {name: r.sha256 for name, r in campaign.recordings.items()}
    measured = rows(ROOT / "data/links/measured.csv")
    assert len(measured) == len(known) * len(campaign.buffers) * len(campaign.senders)
    assert all(float(row["goodput_bps"]) > 0 for row in measured)
    kernel, beside = (
        rows(ROOT / f"data/links/{t}.csv") for t in ("kernel", "kernel_and_simulator")
    )
    length_s = {row["link"]: float(row["measured_s"]) for row in measured}
    message = {tuple(row[name] for name in CONNECTION): row for row in beside}
    for connection, pieces in groupby(kernel, itemgetter(*CONNECTION)):
        whole_s = sum(float(piece["measured_s"]) for piece in pieces)
        assert whole_s == pytest.approx(length_s[connection[0]], abs=0.05)
        assert float(message.pop(connection)["measured_s"]) == pytest.approx(whole_s, abs=0.01)
    assert not message


def test_levels_of_knowledge_by_hand(folder: Path) -> None:
    # The past has 2.4 Mbit/s and today 4.8 Mbit/s, each constant. A buffer of four bandwidth-delay
    # products keeps the link busy, so the goodput is the rate's payload, 1448 of 1500 bytes.
    campaign = load_campaign(file_of(folder))
    missing = campaign.recordings["drive"].model_copy(update={"file": "tunnel.down"})
    campaign = campaign.model_copy(update={"recordings": {**campaign.recordings, "not": missing}})
    (rows_,) = known_at_levels(campaign, folder, folder / "scratch").values()
    assert {row["link"] for row in rows_} == {"drive"}  # the other file is not there
    found = {
        (row["level"], row["view"], row["model"]): row["goodput_bps"] * 1500 / 1448
        for row in rows_
        if row["buffer_bdp"] == 4
    }
    fluid, past, today = "variable_capacity.fluid", 2.4e6, 4.8e6
    expected = {
        ("mean-of-past", "constant", "simulation"): past,
        ("mean-of-past", "constant", fluid): past,
        ("mean-of-today", "constant", "simulation"): today,
        ("mean-of-today", "constant", fluid): today,
        ("trace-of-past", "trace", fluid): past,
        ("trace-of-past", "mean", "lakshman_madhow"): past,
        ("scaled-trace", "trace", "simulation"): today,
        ("scaled-trace", "trace", fluid): today,
        ("scaled-trace", "mean", "lakshman_madhow"): today,
        ("this-trace", "trace", fluid): today,
    }
    for key, rate_bps in expected.items():
        assert found[key] == pytest.approx(rate_bps, rel=0.03), key
    assert ("this-trace", "trace", "simulation") not in found  # measured.csv has it


def test_a_scaled_description_keeps_buffer_and_times() -> None:
    content = {
        "path": {"rate_bps": 2e6, "buffer_packets": 9},
        "capacity": {"min_bps": 1e6, "max_bps": 2e6, "coherence_s": 3.0},
    }
    found = scaled(content, 1.5)
    assert found["path"] == {"rate_bps": 3e6, "buffer_packets": 9}
    assert found["capacity"] == {"min_bps": 1.5e6, "max_bps": 3e6, "coherence_s": 3.0}
    assert content["path"]["rate_bps"] == 2e6
