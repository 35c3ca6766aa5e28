"""Commands of `tcpgoodput`: output, exit status, messages. Few need a process of their own."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import textwrap
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

from tcpgoodput import compilation
from tcpgoodput.answers import Conditions
from tcpgoodput.cli.app import run
from tcpgoodput.cli.simulate import rounded_time
from tcpgoodput.comparison.answers import simulation_record
from tcpgoodput.comparison.requests import scenario_points
from tcpgoodput.configuration.units import in_column
from tcpgoodput.engines.measure import measured
from tcpgoodput.models import MODELS
from tcpgoodput.models.base import Model
from tcpgoodput.models.reductions import REDUCTIONS
from tcpgoodput.scenario import Scenario
from tests import shipped
from tests.cli.program import CATCH_SIGINT, MAIN, PROGRAM, answer, tcpgoodput
from tests.folders import ROOT
from tests.scenarios import PLAIN


def in_a_process(
    *command: str, cwd: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, with further environment variables."""
    variables = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        env=variables | environment,
    )


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    file = tmp_path / "lossy.yaml"
    loss = {"process": "bernoulli", "probability": 0.01}
    file.write_text(yaml.safe_dump({**PLAIN, "loss": loss}), encoding="utf-8")
    return file


def test_optimised_python_has_the_same_help() -> None:
    done = in_a_process(sys.executable, "-m", "tcpgoodput", "predict", "--help", PYTHONOPTIMIZE="2")
    assert "Predict a scenario" in done.stdout
    assert done.stdout == tcpgoodput("predict", "--help").stdout


def test_a_picture_needs_no_backend_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "link.csv").write_text(
        "time_s,Mbps\n" + "".join(f"{t},{t % 3}\n" for t in range(9))
    )
    arguments = (*PROGRAM, "trace", "link.csv", "--picture", "link.png")
    done = in_a_process(*arguments, cwd=tmp_path, MPLBACKEND="nonsense")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "link.png").stat().st_size > 1000


def test_models_are_listed_with_source_citation_and_inputs() -> None:
    records = answer("models")
    names = {record["name"] for record in records}
    assert {"mathis", "pftk", "handoffs", "packet_trains", "variable_capacity.fluid"} <= names
    assert {"delay_spikes.lossless", "delay_spikes.lossy", "delay_spikes.lossy_exact"} <= names
    assert all(r["citation"] and r["inputs"] and r["domain"] and r["source"] for r in records)
    listed = tcpgoodput("models").stdout
    assert all(name in listed for name in names)


def test_predictions_are_records_with_a_status_each(lossy: Path) -> None:
    records = answer("predict", str(lossy))
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


def test_a_prediction_lists_models_by_status_and_each_reason_once(lossy: Path) -> None:
    records = answer("predict", str(lossy))
    text = tcpgoodput("predict", str(lossy), "--all").stdout
    assert "Not shown" not in text
    statuses = ("native", "reduced", "out-of-domain", "undefined")
    lines = text.partition("Reductions:")[0].splitlines()
    headings = [line for line in lines if line.startswith(statuses)]
    order = [statuses.index(line.partition(":")[0]) for line in headings]
    assert order == sorted(order)
    unbroken = " ".join(text.split())
    for record in records:
        assert record["name"] in text
        if record["reason"]:
            assert unbroken.count(record["reason"]) == 1


def test_a_prediction_ends_with_advice_that_needs_no_simulation(lossy: Path) -> None:
    text = tcpgoodput("predict", str(lossy)).stdout
    advice = " ".join(text.partition("Advice without a simulation")[2].split())
    assert "on random connections with independent loss" in advice
    found = answer("compare", str(lossy))["advice"]
    for model in found["models"]:
        assert f"{model['name']} {model['status']}" in advice


@pytest.mark.parametrize("name", MODELS.names())
def test_models_name_explains_the_model(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    status, output, _ = tcpgoodput("models", name)
    assert status == 0
    words = " ".join(output.split())
    model = MODELS[name]
    assert words.startswith(f"{name}: {model.title} ")
    for part in (model.equation, model.domain, model.source, ", ".join(model.inputs)):
        assert part
        assert part in words
    for condition in model.conditions:
        assert f"- {condition.text} [{condition.basis}: {condition.because}]" in words
    example = re.search(r"\(native, (\S+) kbit/s\): tcpgoodput (predict \S+ --model \S+)", words)
    if example:  # some models are native to no scenario of the project
        output = tcpgoodput(*example[2].split())[1]
        assert name in output.partition("native")[2]
    else:
        assert "is native to it" in words
        assert name in ("cardwell", "cubic") or name.startswith("bbr.")


def test_an_invalid_scenario_of_the_project_is_no_example(lossy: Path, tmp_path: Path) -> None:
    folder = tmp_path / "config/scenarios"
    folder.mkdir(parents=True)
    (folder / "a.yaml").write_text("id: [\n", encoding="utf-8")
    (folder / "b.yaml").write_bytes(lossy.read_bytes())
    done = tcpgoodput("models", "mathis", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tcpgoodput predict config/scenarios/b.yaml" in " ".join(done.stdout.split())


@pytest.mark.parametrize("name", REDUCTIONS)
def test_models_explains_a_reduction(name: str) -> None:
    status, output, _ = tcpgoodput("models", name)
    assert status == 0
    words = " ".join(output.split())
    assert words.startswith(f"{name}: {REDUCTIONS[name].of} as ")
    assert REDUCTIONS[name].equation in words
    (record,) = answer("models", name)
    assert record["id"] == name


def test_show_can_leave_out_defaults(lossy: Path) -> None:
    short = tcpgoodput("show", str(lossy), "--short", "--set", "tcp.ack_every=2").stdout
    stated = yaml.safe_load(lossy.read_text(encoding="utf-8"))
    stated["tcp"]["ack_every"] = 2
    assert yaml.safe_load(short) == stated


@pytest.mark.parametrize("options", [[], ["--short"]])
def test_output_of_show_is_a_valid_scenario(
    lossy: Path, tmp_path: Path, options: list[str]
) -> None:
    again, texts = tmp_path / "again.yaml", ["--set", "id='1e-4'", "--set", "title='Infinity'"]
    again.write_text(tcpgoodput("show", str(lossy), *texts, *options).stdout, encoding="utf-8")
    assert tcpgoodput("check", str(again)).returncode == 0
    assert options or "RFC 3042" in again.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["models", "mathys"], "did you mean mathis?"),
        (["predict", "{file}", "--model", "mathhis"], "did you mean mathis"),
        (["compare", "{file}", "--model", "matis"], "did you mean mathis"),
        (["simulate", "{file}", "--engine", "pakcet"], "did you mean packet?"),
        (["check", "{bad}"], "tcp.varint"),
        (["check", "{strange}"], "no configuration file"),
        (["predict", "{file}", "--equations", "printd"], "did you mean printed?"),
        (["predict", "{file}", "--jsno"], "--json"),
        (["predict", "{file}", "--json", "--csv"], "--csv: is not for use with --json"),
        (["predict", "{file}", "--set", "tcp.variant=sakc"], "did you mean sack?"),
        (["simulate", "{file}", "--engine", "linux", "--profile", "modren"], "mean modern?"),
        (["simulate", "{file}", "--engine", "ns2", "--trace", "x.csv"], "is for --engine packet"),
        (
            ["simulate", "{file}", "--engine", "ns2", "--set", "tcp.variant=bbr"],
            "--engine: ns-2 has no sender bbr",
        ),
        (["check", "{file}", "--set", "path.rate_mbps=20"], "did you mean rate_bps: 2e7?"),
        (["check", "{file}", "--set", "path.rate_bps=20M"], "did you mean 2e7?"),
        (["check", "{file}", "--set", "late_s=0.2"], "did you mean handoffs.late_s?"),
        (["check"], "run this in the project's folder"),
        (["verify"], "run this in the project's folder"),
        (["validate", "7"], "run this in the project's folder"),
        (["validate", "7", "--precision", "foo"], "no precision is called 'foo' (allowed: draft"),
    ],
)
def test_bad_input_is_one_message_and_status_2(
    lossy: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    bad, strange = tmp_path / "bad.yaml", tmp_path / "strange.yaml"
    bad.write_text(lossy.read_text(encoding="utf-8").replace("variant", "varint"), encoding="utf-8")
    strange.write_text("colour: blue\n", encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    names = {"file": lossy, "bad": bad, "strange": strange}
    done = tcpgoodput(*[a.format(**names) for a in arguments], cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(tmp_path.iterdir()) == before


def test_the_shipped_configuration_has_no_errors() -> None:
    done = tcpgoodput("check", "config/config.yaml", "config/style.yaml", "config/test/config.yaml")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("no errors") == 3


def test_a_measurement_is_a_record_with_its_interval(lossy: Path) -> None:
    arguments = ("simulate", str(lossy), "--replications", "4", "--duration", "20")
    record, again = (answer(*arguments) for _ in range(2))
    record["wall_s"] = again["wall_s"]
    assert record == again
    assert (record["replications"], record["measured_s"]) == (4, 20)
    assert 0 < record["ci95_bps"] < record["goodput_bps"]
    assert record["loss_events"] <= record["packets_lost"] + record["packets_dropped"]


def test_compare_lists_models_and_measurement(lossy: Path) -> None:
    found = answer("compare", str(lossy))
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
    assert found["nearest"] in {record["name"] for record in home}
    table = tcpgoodput("compare", str(lossy)).stdout
    assert f"Nearest to the simulation, of the models in domain: {found['nearest']}." in table
    assert "recommended" not in found
    assert table.index("measured") < table.index("native") < table.index("undefined")
    error = math.exp(mathis["log_error"])
    assert f"{error:#.3g}".removesuffix(".") + "×" in table


def test_compare_evaluates_the_named_models_alone(lossy: Path) -> None:
    found = answer("compare", str(lossy), "--model", "pftk", "--model", "mathis")
    assert [record["name"] for record in found["models"]] == ["pftk", "mathis"]


def test_compare_says_which_advice_to_prefer(lossy: Path, tmp_path: Path) -> None:
    words = " ".join(tcpgoodput("compare", str(lossy), cwd=tmp_path).stdout.split())
    nearest, taken = words.index("Nearest to the simulation"), words.index("To use one model, take")
    assert nearest < words.index("The simulation of this link is to be preferred") < taken
    predicted = " ".join(tcpgoodput("predict", str(lossy), cwd=tmp_path).stdout.split())
    assert words[taken:] == predicted[predicted.index("To use one model, take") :]


@pytest.mark.parametrize("command", ["predict", "compare"])
def test_models_out_of_domain_are_counted_and_shown_on_request(command: str, lossy: Path) -> None:
    records = answer("predict", str(lossy))
    status = {record["name"]: record["status"] for record in records}
    others = [n for n, own in status.items() if own in ("out-of-domain", "undefined")]
    counts = [sum(own == one for own in status.values()) for one in ("out-of-domain", "undefined")]
    assert all(counts)
    text = tcpgoodput(command, str(lossy)).stdout
    line = f"Not shown: {counts[0]} out-of-domain and {counts[1]} undefined (--all shows them"
    assert line in " ".join(text.split())
    words = text.replace(",", " ").split()
    assert all((name in words) == (name not in others) for name in status)
    assert set(others) <= set(tcpgoodput(command, str(lossy), "--all")[1].replace(",", " ").split())
    named = tcpgoodput(command, str(lossy), "--model", others[0]).stdout
    assert others[0] in named
    assert "Not shown" not in named


def test_the_numbers_of_a_column_have_equally_many_decimals() -> None:
    assert in_column([14685.43, None, 19980.0, 396.898, 0.0]) == [
        *("14685.4", "", "19980.0", "396.9", "0.0"),
    ]
    assert in_column([14685.43, 19980.0]) == ["14685", "19980"]
    assert in_column([3.5, 3.0, 16.8], digits=2) == ["3.5", "3.0", "16.8"]
    assert in_column([2000.0, 1e-9]) == ["2000.000", "0.000"]
    assert in_column([None]) == [""]


@pytest.mark.parametrize("command", ["predict", "check", "show", "simulate", "compare"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("lte.csv", b"time_s,Mbps\n0,1\n1,2\n"),
        ("lte.txt", b"1: 2: 3\n"),
        ("iperf.json", b'{"start": {}, "intervals": []}'),
        ("lte.pcap", b"\xd4\xc3\xb2\xa1"),
    ],
)
def test_a_recorded_link_given_as_a_scenario_is_sent_to_trace(
    command: str, name: str, content: bytes, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    done = tcpgoodput(command, str(tmp_path / name))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"tcpgoodput trace {tmp_path / name}" in done.stderr


def test_output_steers_no_terminal(tmp_path: Path) -> None:
    file = tmp_path / "evil\x1b]0;title\x07\u202e.csv"
    file.write_text("time_s,Mbps\x1b[2J\x9b\n0,1\n1,2\n2,1\n")
    done = in_a_process(*PROGRAM, "trace", str(file))
    output = done.stdout + done.stderr
    assert "evil\\u001b" in output
    assert all(c.isprintable() or c == "\n" for c in output)


@pytest.mark.parametrize(
    "name", ["s02-independent-1e-2", "s05a-droptail-8", "s08-ge-very-bursty", "s18-satellite"]
)
def test_simulate_and_compare_give_the_same_goodput(name: str) -> None:
    file = str(ROOT / f"config/scenarios/{name}.yaml")
    simulated = answer("simulate", file, "--seed", "7")
    compared = answer("compare", file, "--seed", "7")["simulation"]
    simulated["wall_s"] = compared["wall_s"]
    assert simulated == compared


def test_the_command_line_gives_the_goodput_of_the_workflow() -> None:
    compared = shipped.comparison()
    stem = "s01-independent-1e-4"  # its confidence interval must be narrower than by default
    request = next(scenario_points(compared, stem, Conditions()))
    published = simulation_record(request.scenario, measured(request))["simulation"]
    found = answer("simulate", str(ROOT / f"config/scenarios/{stem}.yaml"))
    assert {**published, "wall_s": 0} == {**found, "wall_s": 0}


RARE_LOSS = {"process": "bernoulli", "probability": 1e-9}


@pytest.mark.parametrize(
    ("limit", "loss", "noted"),
    [({}, {}, True), ({"buffer_packets": 50}, {}, False), ({}, {"loss": RARE_LOSS}, False)],
)
def test_a_window_that_grows_without_end_has_a_note(
    limit: dict[str, int], loss: dict[str, Any], noted: bool
) -> None:
    path = {"rate_bps": 2e7, "forward_delay_s": 0.03, "backward_delay_s": 0.03, **limit}
    text = yaml.safe_dump({**PLAIN, "path": path, **loss})
    done = tcpgoodput("simulate", "-", "--replications", "2", "--duration", "5", text=text)
    assert done.returncode == 0
    assert ("Note: nothing limits the window" in done.stdout) is noted


def test_missing_intervals_of_a_validation_are_null() -> None:
    found = answer("validate", "7", "--points", "2", "--precision", "draft")
    first = found["errors"][0]
    assert first["median_%"] is not None
    assert first["median_low_%"] is None


def test_simulate_and_compare_agree_on_a_finite_transfer(lossy: Path) -> None:
    transfer = (str(lossy), "--set", "tcp.transfer_packets=50")
    simulated, compared = answer("simulate", *transfer), answer("compare", *transfer)["simulation"]
    assert simulated["goodput_pps"] == compared["goodput_pps"]
    assert simulated["replications"] == compared["replications"]
    done = tcpgoodput("simulate", *transfer, "--duration", "5")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--duration: a finite transfer" in done.stderr


def test_a_long_simulation_is_announced(lossy: Path) -> None:
    short = ("simulate", str(lossy), "--set", "path.rate_bps=1e5", "--duration", "10")
    assert "The simulation sends" not in tcpgoodput(*short)[2]
    # The rate allows 2e8 packets in a second, but losses and long timeouts let only few arrive.
    slow = {"path.rate_bps": "1.6e12", "loss.probability": "0.9", "tcp.rto.min_s": "60"}
    changes = [part for key, value in slow.items() for part in ("--set", f"{key}={value}")]
    told = tcpgoodput("simulate", str(lossy), *changes, "--duration", "1000")[2]
    assert re.search(r"The simulation sends up to \S+ packets, which takes up to about \d+", told)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1.4, "1 seconds"), (119, "119 seconds"), (120, "2 minutes"), (2e6, "23 days")],
)
def test_a_time_is_rounded_to_a_unit(seconds: float, text: str) -> None:
    assert rounded_time(seconds) == text


def test_named_models_out_of_domain_say_nothing_about_other_models(lossy: Path) -> None:
    text = tcpgoodput("predict", str(lossy), "--model", "cubic")[1]
    assert "None of the models named with --model is in domain" in " ".join(text.split())
    assert "no model is in domain" not in text


def test_check_counts_warnings(lossy: Path) -> None:
    arguments = ("check", str(lossy), "--set", "path.backward_delay_s=100")
    status, text, warnings = tcpgoodput(*arguments)
    assert (status, warnings.count("warning:")) == (0, 1)
    assert text.endswith("no errors, 1 warning\n")


def test_a_connection_that_delivers_nothing_is_refused() -> None:
    law = {"distribution": "constant", "mean_s": 1.0}
    spikes = {"interval": law, "duration": {**law, "mean_s": 2.0}}
    done = tcpgoodput("simulate", "-", text=yaml.safe_dump({**PLAIN, "spikes": spikes}))
    assert done.returncode == 2
    assert "nothing is delivered" in done.stderr
    assert done.stdout == ""


def test_the_version_is_printed() -> None:
    assert tcpgoodput("--version") == (0, f"tcpgoodput {version('tcpgoodput')}\n", "")


def test_without_a_command_help_is_printed() -> None:
    status, output, messages = tcpgoodput()
    assert (status, output) == (2, "")
    assert "predict" in messages
    assert "--install-completion" in messages


def test_shell_completion_lists_names_and_writes_no_file(tmp_path: Path) -> None:
    words = {"COMP_WORDS": "tcpgoodput predict --model math", "COMP_CWORD": "3"}
    words |= {"HOME": str(tmp_path), "_TCPGOODPUT_COMPLETE": "complete_bash"}
    output = in_a_process(*PROGRAM, cwd=tmp_path, **words)
    assert output.stdout.split() == ["mathis"]
    assert not list(tmp_path.iterdir())


def test_a_scenario_can_come_from_standard_input(lossy: Path) -> None:
    text = lossy.read_text(encoding="utf-8")
    by_file = answer("predict", str(lossy), "--model", "mathis")
    assert answer("predict", "-", "--model", "mathis", text=text) == by_file
    line = text.splitlines().index("  variant: newreno") + 1
    bad = tcpgoodput("check", "-", text=text.replace("newreno", "newrno"))
    assert bad.returncode == 2
    assert bad.stderr.startswith(f"standard input:{line}: tcp.variant: is 'newrno'")
    assert "is empty" in tcpgoodput("show", "-", text="").stderr


@pytest.mark.parametrize("command", ["predict", "show", "check", "explore"])
def test_a_closed_standard_input_is_refused(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", None)  # as Python sets it
    assert run([command, "-"]) == 2
    assert capsys.readouterr().err.startswith("standard input: is closed: name a file")


def test_a_key_changed_by_set_is_in_the_heading(lossy: Path) -> None:
    arguments = ("predict", str(lossy), "--model", "mathis", "--set", "loss.probability=0.04")
    status, output, _ = tcpgoodput(*arguments)
    assert status == 0
    assert output.startswith("plain: A plain connection, with loss.probability=0.04\n")
    half = answer(*arguments)[0]["goodput_pps"]
    whole = answer(*arguments[:4])[0]["goodput_pps"]
    assert half == pytest.approx(whole / 2)


@pytest.mark.parametrize(
    "command", [("models",), ("predict", "{file}"), ("simulate", "{file}"), ("compare", "{file}")]
)
def test_a_table_has_the_columns_of_the_records(lossy: Path, command: tuple[str, ...]) -> None:
    arguments = [a.format(file=lossy) for a in command]
    records = answer(*arguments)
    if command[0] == "simulate":
        records = [records]
    if command[0] == "compare":
        records = [records["simulation"], *records["models"]]
    _, text, _ = tcpgoodput(*arguments, "--csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["name"] for row in rows] == [record["name"] for record in records]
    for row, record in zip(rows, records, strict=True):
        for key in row.keys() & record.keys() - {"wall_s"}:
            value = record[key]
            if isinstance(value, float):
                assert float(row[key]) == value
            elif key == "conditions":
                assert row[key] == "; ".join(f"{c['text']} [{c['basis']}]" for c in value)
            elif isinstance(value, list):
                assert row[key] == "; ".join(value)
            else:
                assert row[key] == ("" if value is None else str(value))
    if command[0] != "compare":
        assert list(rows[0]) == list(records[0])


@pytest.mark.parametrize("columns", [40, 60, 100, 160])
def test_lines_are_as_wide_as_the_terminal(
    lossy: Path, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    measured = ("simulate", str(lossy), "--replications", "2", "--duration", "20")
    for command in (("models",), ("compare", str(lossy)), ("predict", str(lossy)), measured):
        lines = tcpgoodput(*command)[1].splitlines()
        assert 20 < max(len(line) for line in lines) <= columns


def test_output_to_a_pipe_has_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert 40 < max(len(line) for line in tcpgoodput("models").stdout.splitlines()) <= 80
    # The width of the help is set when the module is loaded.
    narrow = in_a_process(*PROGRAM, "--help", COLUMNS="40").stdout
    assert max(len(line) for line in narrow.splitlines()) <= 40


def test_a_broken_pipe_prints_no_message() -> None:
    command = [*PROGRAM, "models"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(600) == 128 + signal.SIGPIPE
        assert process.stderr.read() == b""


def test_a_full_disk_is_one_message() -> None:
    command = [*PROGRAM, "models"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "tcpgoodput: standard output: No space left on device\n"


INTERRUPTED_WHERE = {
    "while it loads": """
        import sys
        class Interrupting:
            def find_spec(self, name, path=None, target=None):
                if name == "tcpgoodput.cli.app":
                    os.kill(os.getpid(), signal.SIGINT)
        sys.meta_path.insert(0, Interrupting())
    """,
    "while it simulates": """
        from tcpgoodput.engines.replications import Replications
        def simulated(*_):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(300)
        assert Replications.simulated
        Replications.simulated = simulated
    """,
}


@pytest.mark.parametrize("where", INTERRUPTED_WHERE)
def test_an_interrupt_is_one_message(where: str, lossy: Path) -> None:
    code = f"import os, time; {CATCH_SIGINT}{textwrap.dedent(INTERRUPTED_WHERE[where])}\n{MAIN}"
    done = in_a_process(sys.executable, "-c", code, "simulate", str(lossy))
    assert (done.returncode, done.stdout) == (128 + signal.SIGINT, "")
    assert done.stderr == "tcpgoodput: interrupted\n"


def test_compiled_functions_work_without_a_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(*_: object, **__: object) -> None:
        raise RuntimeError("cannot cache function 'f': no locator available for file 'f.py'")

    monkeypatch.setattr("numba.core.caching.FunctionCache.__init__", cannot)
    with pytest.raises(RuntimeError):
        compilation.njit(cache=True)(lambda x: x + 1)
    assert compilation.kept()(lambda x: x + 1)(1) == 2


def test_check_prints_its_findings_as_json(lossy: Path, tmp_path: Path) -> None:
    text = lossy.read_text(encoding="utf-8")
    bad, slip = tmp_path / "bad.yaml", tmp_path / "slip.yaml"
    bad.write_text(text.replace("newreno", "newrno"), encoding="utf-8")
    slip.write_text(text.replace("probability: 0.01", "probability: 0.5"), encoding="utf-8")
    files = [str(lossy), str(bad), str(slip)]
    status, output, messages = tcpgoodput("check", *files, "--json")
    found = json.loads(output)
    assert (status, messages) == (2, "")
    assert [one["file"] for one in found["found"]] == [str(lossy), str(slip)]
    (problem,) = found["problems"]
    assert (problem["file"], problem["key"]) == (str(bad), "tcp.variant")
    assert problem["line"] == text.splitlines().index("  variant: newreno") + 1
    assert "did you mean newreno?" in problem["message"]
    (warning,) = found["warnings"]
    assert (warning["value"], warning["guess"], warning["key"]) == (0.5, 0.005, "loss.probability")
    assert tcpgoodput("check", str(lossy), "--json")[0] == 0


def test_a_scenario_as_json_can_be_read_again(lossy: Path) -> None:
    shown = tcpgoodput("show", str(lossy), "--json").stdout
    assert json.loads(shown)["tcp"]["dupthresh"] == 3
    again = tcpgoodput("show", "-", "--json", text=shown)
    assert (again.returncode, again.stdout) == (0, shown)


@pytest.mark.parametrize("command", ["predict", "simulate", "compare", "show", "check"])
def test_an_implausible_value_causes_a_warning(command: str, lossy: Path) -> None:
    line = lossy.read_text(encoding="utf-8").splitlines().index("  forward_delay_s: 0.05") + 1
    text = lossy.read_text(encoding="utf-8").replace("forward_delay_s: 0.05", "forward_delay_s: 30")
    lossy.write_text(text, encoding="utf-8")
    few = ["--replications", "2", "--duration", "100"] if command == "simulate" else []
    status, output, messages = tcpgoodput(command, str(lossy), *few)
    warning = "path.forward_delay_s: is 30 s; did you mean 0.03 (30 ms)?\n"
    assert (status, messages) == (0, f"warning: {lossy}:{line}: {warning}")
    assert output


@pytest.mark.parametrize("form", ["", "--json", "--csv"])
@pytest.mark.parametrize("command", ["predict", "compare"])
def test_a_failing_model_is_a_row_of_the_output(
    command: str, form: str, lossy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(model: Model, scenario: Scenario, conditions: Conditions) -> float:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(type(MODELS["mathis"]), "goodput_pps", fails)
    arguments = [command, str(lossy), *([form] if form else [])]
    status, output, messages = tcpgoodput(*arguments)
    assert status == 1
    assert messages == "tcpgoodput: 1 model failed: mathis\n"
    assert "failed: ZeroDivisionError: division by" in output
    assert "pftk" in output
    if form == "--json":
        assert json.loads(output)
