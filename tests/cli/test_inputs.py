"""The command `inputs` shows what each input of a prediction costs."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.cli.program import answer, tcpgoodput

LOSSY = """id: lossy
title: One packet in a hundred is lost
tcp: {variant: sack, mss_bytes: 1000, max_window_packets: 50}
path: {rate_bps: 1e8, forward_delay_s: 0.05, backward_delay_s: 0.05}
loss: {process: bernoulli, probability: 0.01}
"""


@pytest.fixture
def lossy(tmp_path: Path) -> str:
    file = tmp_path / "lossy.yaml"
    file.write_text(LOSSY, encoding="utf-8")
    return str(file)


def test_each_input_has_a_row_in_json(lossy: str) -> None:
    found = answer("inputs", lossy, "--no-simulation")
    assert (found["scenario"], found["simulation"]) == ("lossy", None)
    first, *rows = found["inputs"]
    assert (first["input"], first["change_%"], first["error_%"]) == ("all inputs", 0, None)
    assert {row["input"] for row in rows} == {
        *("loss-events", "mean-rate", "rate-over-time", "timeout", "window", "round-trip"),
        *("loss", "rate", "receiver window", "smallest timeout"),
    }
    for row in rows:
        ratio = row["goodput_bps"] / first["goodput_bps"]
        assert row["change_%"] == pytest.approx(100 * math.log(ratio))
    assert [row["change_%"] for row in rows if row["no_effect"]] == [0, 0, 0]


def test_errors_are_relative_to_the_simulation(lossy: str) -> None:
    found = answer("inputs", lossy)
    simulated_bps = found["simulation"]["goodput_bps"]
    for row in found["inputs"]:
        error = 100 * math.log(row["goodput_bps"] / simulated_bps)
        assert row["error_%"] == pytest.approx(error, abs=1e-6)


def test_the_table_names_the_costliest_input(lossy: str) -> None:
    done = tcpgoodput("inputs", lossy, "--no-simulation")
    assert done.returncode == 0, done.stderr
    assert "no effect" in done.stdout
    assert "The largest change: round trip" in " ".join(done.stdout.split())


def test_broken_lines_do_not_look_like_headings(
    lossy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = tcpgoodput("inputs", lossy, "--no-simulation").stdout.splitlines()
    begin = lines.index("known")
    end = next(n for n, line in enumerate(lines) if line.startswith("change: "))
    flush = [line for line in lines[begin:end] if not line.startswith(" ")]
    assert flush == ["known", "not measured", "wrong"]


def test_no_model_in_domain_says_what_to_do(lossy: str) -> None:
    done = tcpgoodput("inputs", lossy, "--no-simulation", "--set", "loss.probability=0.28")
    shown = " ".join(done.stdout.split())
    assert "With all inputs no model is in domain" in shown
    assert "tcpgoodput predict --all has the reason of each model" in shown
