"""The command `tcpgoodput trace`, which describes a recorded link, from a user's view."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tcpgoodput.cli.app import run
from tcpgoodput.scenario import load_scenario
from tcpgoodput.scenario.capacity.trace import mean_of_trace_bps, read_delay_trace
from tests.recordings.made import written


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """Write a recording with a silence of 0.5 s in every 2 s, and a faster second half.

    Return the recording's path.
    """
    first = [t + 2000 * k for k in range(20) for t in range(0, 1500, 2)]
    second = [t + 2000 * k for k in range(20, 40) for t in range(1500)]
    return written(tmp_path / "Drive.down", [*first, *second, 80_000])


def files_in(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_trace_describes_the_link(link: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", str(link), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["silences"] == 40
    assert record["mean_bps"] == pytest.approx((20 * 750 + 20 * 1500 + 1) * 12_000 / 80)
    assert run(["trace", str(link)]) == 0
    result = capsys.readouterr().out
    assert "6.75 Mbit/s" in result
    assert "40 of 0.2 s and more" in result


def test_scenarios_are_fitted_on_the_first_half(
    link: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "views"
    assert run(["trace", str(link), "--as", "scenarios", "--output", str(folder)]) == 0
    written_to = capsys.readouterr().out
    assert files_in(folder) == {
        "drive-down-mean.yaml",
        "drive-down-spikes.yaml",
        "drive-down-ar1.yaml",
    }
    assert all(name in written_to for name in files_in(folder))
    assert "No handoffs" in written_to
    mean = load_scenario(folder / "drive-down-mean.yaml")
    assert mean.path.rate_bps == pytest.approx(750 * 12_000 / 2, rel=1e-3)


def test_a_changed_scenario_is_not_overwritten(
    link: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = ["trace", str(link), "--as", "scenarios", "--output", str(tmp_path / "views")]
    assert run(request) == 0
    assert run(request) == 0  # unchanged files may be overwritten
    (changed,) = (tmp_path / "views").glob("*-mean.yaml")
    other = next((tmp_path / "views").glob("*-ar1.yaml"))
    other.unlink()
    changed.write_text(changed.read_text() + "# mine\n", encoding="utf-8")
    assert run(request) == 2
    assert f"{changed} is there and has other content" in capsys.readouterr().err
    assert changed.read_text().endswith("# mine\n")
    assert not other.exists()


def test_a_capacity_is_written_to_a_file_or_printed(
    link: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = ["trace", str(link), "--as", "capacity", "--part", "second"]
    assert run(request) == 0
    printed = capsys.readouterr().out
    assert run([*request, "--output", str(tmp_path / "c.csv")]) == 0
    assert (tmp_path / "c.csv").read_text(encoding="utf-8") == printed
    assert mean_of_trace_bps(tmp_path / "c.csv") == pytest.approx(1500 * 12_000 / 2, rel=1e-3)


def test_a_written_delay_equals_the_recorded_delay(link: Path, tmp_path: Path) -> None:
    delays = written(tmp_path / "delays", [20] * 7000 + [35] * 1000)
    request = ["trace", str(link), "--delay", str(delays), "--as", "delay"]
    assert run([*request, "--output", str(tmp_path / "d.csv")]) == 0
    times, values = read_delay_trace(tmp_path / "d.csv")
    assert times[[1, -1]].tolist() == [0.01, 80.0]
    assert values[:-1].tolist() == [0.02] * 7000 + [0.035] * 1000


@pytest.mark.parametrize("form", ["capacity", "delay"])
def test_another_file_is_not_overwritten(
    link: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    delays = written(tmp_path / "delays", [20] * 8000)
    file = tmp_path / "link.csv"
    request = ["trace", str(link), "--delay", str(delays), "--as", form, "--output", str(file)]
    assert run(request) == 0
    before = file.read_bytes()
    assert run(request) == 0  # an unchanged file may be overwritten
    assert file.read_bytes() == before
    file.write_text("my notes\n", encoding="utf-8")
    assert run(request) == 2
    assert f"--output: {file} is there and has other content" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "my notes\n"


@pytest.mark.parametrize("recorded", ["Drive.down", "delays", "linked"])
def test_the_recording_is_not_overwritten(
    link: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], recorded: str
) -> None:
    delays = written(tmp_path / "delays", [20] * 8000)
    (tmp_path / "linked").symlink_to(link)
    output = tmp_path / recorded
    before = output.read_bytes()
    request = ["trace", str(link), "--delay", str(delays), "--as", "capacity"]
    assert run([*request, "--output", str(output)]) == 2
    assert f"--output: {output} is the recording itself" in capsys.readouterr().err
    assert output.read_bytes() == before
    assert (tmp_path / "linked").is_symlink()


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_trace_draws_the_link(link: Path, tmp_path: Path, suffix: str) -> None:
    delays = np.full(8000, 20)
    delays[700::1500] = 90
    with_delays = ["--delay", str(written(tmp_path / "delays", delays))]
    for number, more in enumerate([[], with_delays]):
        picture = tmp_path / f"{number}{suffix}"
        assert run(["trace", str(link), "--picture", str(picture), *more]) == 0
        assert picture.read_bytes().startswith((b"\x89PNG", b"%PDF"))
    assert {file for file in files_in(tmp_path) if file.startswith(".")} == set()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{bad}"], "bad:2: needs a whole number"),
        (["{folder}"], "is a folder"),
        (["missing"], "no such file"),
        (["{link}", "--as", "capcity"], "did you mean capacity?"),
        (["{link}", "--as", "delay"], "needs the file of the delays: --delay"),
        (["{link}", "--part", "third"], "allowed: whole, first, second"),
        (["{link}", "--every", "0"], "--every: is 0 s"),
        (["{link}", "--every", "nan"], "--every: is nan s"),
        (["{link}", "--rtt", "-1"], "--rtt: is '-1'; allowed"),
        (["{link}", "--output", "x.csv"], "--output: is for use with --as"),
        (["{link}", "--as", "capacity", "--output", "{folder}"], "is a folder"),
        (["{link}", "--as", "scenarios", "--output", "{link}"], "is a file"),
        (["{link}", "--as", "capacity", "--json"], "--json"),
        (["{link}", "--picture", "x.svg"], "must end in .pdf or .png"),
        (["{link}", "--picture", "no/x.png"], "--picture: no/x.png: there is no folder no"),
        (["{link}", "--picture", "old.png"], "--picture: old.png is there"),
        (["{link}", "--as", "capacity", "--output", "no/x.csv"], "there is no folder no"),
        (["{link}", "--as", "capacity", "--output", "/dev/null"], "is a device or a pipe"),
        (["{link}", "--as", "scenarios", "--output", "no/views"], "there is no folder no"),
        (["{link}", "--as", "capacity", "--delay", "{bad}", "--output", "x.csv"], "bad:2"),
    ],
)
def test_bad_input_is_one_message_and_writes_nothing(
    link: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad").write_text("1\nx\n", encoding="ascii")
    (tmp_path / "old.png").touch()
    before = files_in(tmp_path)
    named = {"{link}": str(link), "{bad}": str(tmp_path / "bad"), "{folder}": str(tmp_path)}
    assert run(["trace", *(named.get(a, a) for a in arguments)]) == 2
    result = capsys.readouterr()
    assert message in result.err
    assert result.out == ""
    assert files_in(tmp_path) == before


def test_trace_says_which_time_its_statistics_cover(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of the recording, silences too, but a last bin that is shorter than the others."""
    rows = "".join(f"{second},{rate}\n" for second, rate in enumerate([20, 10, 5, 0]))
    file = tmp_path / "drive.csv"
    file.write_text(f"time_s,Mbps\n{rows}", encoding="ascii")
    assert run(["trace", str(file)]) == 0
    output = capsys.readouterr().out
    assert "0.845 of the mean, with silences, in bins of 1 s\n" in output
    assert "shorter last bin" not in output
    assert run(["trace", str(file), "--rtt", "1.5s"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "shorter last bin 1 s of 1.5 s, left out" in words
