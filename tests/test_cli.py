"""The command line as a user meets it: in a process of its own."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tcpgoodput.cli.app import app
from tests.scenarios import PLAIN

ROOT = Path(__file__).parents[1]


def tcpgoodput(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    code = "from tcpgoodput.cli import main; main()"
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    file = tmp_path / "lossy.yaml"
    loss = {"process": "bernoulli", "probability": 0.01}
    file.write_text(yaml.safe_dump({**PLAIN, "loss": loss}), encoding="utf-8")
    return file


def test_models_are_listed_with_source_citation_and_inputs() -> None:
    records = json.loads(tcpgoodput("models", "--json").stdout)
    names = {record["name"] for record in records}
    assert {"mathis", "pftk", "handoffs", "packet_trains", "variable_capacity.fluid"} <= names
    assert {"delay_spikes.lossless", "delay_spikes.lossy", "delay_spikes.lossy_exact"} <= names
    assert all(r["citation"] and r["inputs"] and r["domain"] and r["source"] for r in records)
    table = tcpgoodput("models").stdout
    assert all(name in table for name in names)


def test_predictions_are_records_with_a_status_each(lossy: Path) -> None:
    records = json.loads(tcpgoodput("predict", str(lossy), "--json").stdout)
    keys = {"scenario", "name", "status", "reduction", "goodput_bps", "goodput_pps", "utilisation"}
    for record in records:
        assert keys <= record.keys()
        assert record["status"] in ("native", "reduced", "out-of-domain", "undefined")
        assert (record["goodput_bps"] is None) == (record["status"] == "undefined")
        assert (record["status"] in ("native", "reduced")) == (record["reason"] is None)
        assert record["status"] != "reduced" or record["reduction"]
    mathis = next(record for record in records if record["name"] == "mathis")
    assert mathis["goodput_pps"] == pytest.approx((3 / 2 / 0.01) ** 0.5 / 0.1)
    assert mathis["goodput_bps"] == pytest.approx(mathis["goodput_pps"] * 8000)
    assert mathis["utilisation"] == pytest.approx(mathis["goodput_bps"] / 1e9)


def test_one_model_can_be_named(lossy: Path) -> None:
    records = json.loads(tcpgoodput("predict", str(lossy), "--model", "mathis", "--json").stdout)
    assert [record["name"] for record in records] == ["mathis"]


def test_show_prints_what_can_be_read_again(lossy: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.yaml"
    again.write_text(tcpgoodput("show", str(lossy)).stdout, encoding="utf-8")
    assert tcpgoodput("check", str(again)).returncode == 0
    assert "RFC 3042" in again.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "{file}", "--model", "mathhis"], "did you mean mathis"),
        (["predict", "missing.yaml"], "no such file"),
        (["show", "{folder}"], "is a folder"),
        (["check", "{bad}"], "tcp.varint"),
        (["check", "{strange}"], "no configuration file"),
        (["predict", "{file}", "--equations", "wrong"], "printed"),
        (["prdict", "{file}"], "prdict"),
    ],
)
def test_bad_input_is_one_message_and_status_2(
    lossy: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    bad, strange = tmp_path / "bad.yaml", tmp_path / "strange.yaml"
    bad.write_text(lossy.read_text(encoding="utf-8").replace("variant", "varint"), encoding="utf-8")
    strange.write_text("colour: blue\n", encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    names = {"file": lossy, "folder": tmp_path, "bad": bad, "strange": strange}
    run = tcpgoodput(*[a.format(**names) for a in arguments], cwd=tmp_path)
    assert run.returncode == 2
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""
    assert sorted(tmp_path.iterdir()) == before


def test_the_shipped_configuration_is_good() -> None:
    run = tcpgoodput("check", "config/config.yaml", "config/style.yaml", "config/test/config.yaml")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("no errors") == 3


def test_a_measurement_is_a_record_with_its_interval(lossy: Path) -> None:
    arguments = ("simulate", str(lossy), "--replications", "4", "--duration", "20", "--json")
    record, again = (json.loads(tcpgoodput(*arguments).stdout) for _ in range(2))
    record["wall_s"] = again["wall_s"]
    assert record == again
    assert (record["replications"], record["measured_s"]) == (4, 20)
    assert 0 < record["ci95_bps"] < record["goodput_bps"]
    assert record["loss_events"] <= record["packets_lost"] + record["packets_dropped"]


def test_models_stand_beside_the_measurement(lossy: Path) -> None:
    found = json.loads(tcpgoodput("compare", str(lossy), "--json").stdout)
    simulated = found["simulation"]["goodput_pps"]
    for record in found["models"]:
        if record["goodput_pps"] is None:
            assert record["log_error"] is None
        else:
            expected = math.log(record["goodput_pps"] / simulated)
            assert record["log_error"] == pytest.approx(expected)
    mathis = next(r for r in found["models"] if r["name"] == "mathis")
    assert abs(mathis["log_error"]) < 0.15
    home = [r for r in found["models"] if r["status"] in ("native", "reduced")]
    assert found["recommended"] in {record["name"] for record in home}
    table = tcpgoodput("compare", str(lossy)).stdout
    assert "Recommended: " in table
    assert table.index("packet simulator") < table.index("native") < table.index("undefined")


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Return what a command prints as JSON; in this process, where everything is loaded."""
    app([*arguments, "--json"], standalone_mode=False)
    return json.loads(capsys.readouterr().out)


ONE_NUMBER = ("s02-independent-1e-2", "s05a-droptail-8", "s08-ge-very-bursty", "s18-satellite")


@pytest.mark.parametrize("name", ONE_NUMBER)
def test_one_scenario_and_one_seed_have_one_number(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(ROOT / f"config/scenarios/{name}.yaml")
    simulated = answer(capsys, "simulate", file, "--seed", "7")
    compared = answer(capsys, "compare", file, "--seed", "7")["simulation"]
    simulated["wall_s"] = compared["wall_s"]
    assert simulated == compared


@pytest.mark.parametrize("name", ONE_NUMBER)
def test_exactly_as_many_replications_are_made_as_are_asked_for(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(ROOT / f"config/scenarios/{name}.yaml")
    assert answer(capsys, "simulate", file, "--replications", "7")["replications"] == 7


def test_finite_transfers_have_one_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "transfer.yaml"
    file.write_text(yaml.safe_dump(TRANSFER), encoding="utf-8")
    simulated = answer(capsys, "simulate", str(file))
    compared = answer(capsys, "compare", str(file))["simulation"]
    assert simulated["goodput_pps"] == compared["goodput_pps"]
    assert simulated["replications"] == compared["replications"]


TRANSFER = {
    **PLAIN,
    "tcp": {**PLAIN["tcp"], "transfer_packets": 50},
    "loss": {"process": "bernoulli", "probability": 0.01},
}


def test_a_finite_transfer_has_no_measured_time_to_choose(tmp_path: Path) -> None:
    file = tmp_path / "transfer.yaml"
    file.write_text(yaml.safe_dump(TRANSFER), encoding="utf-8")
    done = tcpgoodput("simulate", str(file), "--duration", "5")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--duration: a finite transfer" in done.stderr


def test_an_engine_that_is_not_there_is_named(lossy: Path) -> None:
    done = tcpgoodput("simulate", str(lossy), "--engine", "pakcet")
    assert done.returncode == 2
    assert "did you mean packet?" in done.stderr


def test_what_has_no_steady_state_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "dead.yaml"
    spikes = {
        "interval": {"distribution": "constant", "mean_s": 1.0},
        "duration": {"distribution": "constant", "mean_s": 2.0},
    }
    file.write_text(yaml.safe_dump({**PLAIN, "spikes": spikes}), encoding="utf-8")
    done = tcpgoodput("simulate", str(file))
    assert done.returncode == 2
    assert "nothing is delivered" in done.stderr
    assert done.stdout == ""
