"""`tcpgoodput.link` and its command: a scenario, an answer, and one message for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tcpgoodput
from tcpgoodput.cli.app import run
from tcpgoodput.scenario.loss import Bernoulli, GilbertElliott
from tests.measured import made


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Return the names of a ping log with independent losses, and of a transfer after it."""
    lost = {40, 170, 260, 390, 420, 555}  # six of 600: 1 %
    texts = {"ping": made.ping(lost, 600), "iperf3": json.dumps(made.iperf3())}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    return {name: str(tmp_path / f"{name}.txt") for name in texts}


def test_the_scenario_of_a_ping_and_a_transfer(files: dict[str, str]) -> None:
    found = tcpgoodput.link(files["ping"], files["iperf3"], simulate=False)
    scenario = found.scenario
    assert isinstance(scenario.loss, Bernoulli)
    # 14 of 7006 segments, which are more events than 6 of 600 echoes, and no larger a share.
    assert scenario.loss.probability == pytest.approx(14 / 7006, rel=1e-3)
    assert scenario.propagation_rtt_s == pytest.approx(0.022)
    assert scenario.tcp.variant == "sack"  # Linux' reno
    assert scenario.tcp.max_window_packets == 200  # 289600 bytes of 1448
    # 10 Mbit/s of payload in the fastest second, with 52 bytes of headers for 1448.
    assert scenario.path.rate_bps == pytest.approx(10e6 * 1500 / 1448, rel=1e-5)
    # The round trip was 60 ms at most: the queue added 38 ms, 32.8 packets at that rate.
    assert scenario.path.buffer_packets == 33
    assert set(found.missing) == {"rate", "smallest timeout", "loss events"}
    assert found.measured is not None
    assert found.measured.value == 8.1e6


def test_drops_of_the_queue_are_not_the_loss_of_the_link(tmp_path: Path) -> None:
    ping, transfer = tmp_path / "ping.txt", tmp_path / "iperf3.txt"
    ping.write_text(made.ping(set(), 1000), encoding="utf-8")  # at most 0.37 %
    test = made.iperf3(sum_sent={"bits_per_second": 8.2e6, "retransmits": 140})  # 2 %
    transfer.write_text(json.dumps(test), encoding="utf-8")
    found = tcpgoodput.link(ping, transfer, simulate=False)
    assert found.scenario.loss.lost_share == 0
    assert "loss" not in found.missing


def test_loss_decides_the_answer(files: dict[str, str]) -> None:
    found = tcpgoodput.link(files["ping"], rate_bps=50e6, variant="sack")
    # Mathis et al.: 1448 bytes, 22 ms and 1 % give 6.4 Mbit/s with an ACK per packet, and a little
    # more than that over sqrt(2) with one for two packets.
    assert 3.5e6 < found.expected_bps < 7e6
    # Without loss, the rate is the limit: 50 Mbit/s with 52 bytes of headers for 1448.
    assert found.limits["packet loss"] == pytest.approx(50e6 * 1448 / 1500, rel=0.05)
    assert found.answer.startswith("This connection is limited by packet loss, expect ")
    ends = found.costs[found.costs["input"] == "loss"]["goodput_bps"]
    assert ends.min() < found.expected_bps < ends.max()


def test_the_rate_decides_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "ping.txt"
    path.write_text(made.ping(set(), 600), encoding="utf-8")
    found = tcpgoodput.link(path, rate_bps=10e6, variant="cubic")
    assert "limited by the rate of the link" in found.answer
    assert found.expected_bps == pytest.approx(10e6 * 1448 / 1500, rel=0.05)
    # No loss in 600 echoes leaves 0.6 %, with which 22 ms allow less than half of that rate.
    assert "The files leave open" in found.answer
    assert "depends on loss" in found.answer


def test_the_window_decides_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "ss.txt"
    path.write_text(made.ss(resent=0), encoding="utf-8")
    found = tcpgoodput.link(path, rate_bps=100e6, variant="sack")
    assert "limited by the receiver window" in found.answer
    # 50 packets of 1400 bytes per 28.5 ms.
    assert found.expected_bps == pytest.approx(50 * 8 * 1400 / 0.0285, rel=0.1)
    assert "The receiver window limited it 90 % of the time" in found.answer


def test_a_window_just_below_the_rate(tmp_path: Path) -> None:
    path = tmp_path / "ss.txt"
    path.write_text(made.ss(resent=0), encoding="utf-8")
    # 20 Mbit/s carry 19.3 Mbit/s of payload, less than the 19.6 Mbit/s of the window.
    assert "by the rate of the link" in tcpgoodput.link(path, rate_bps=20e6).answer
    assert "by the receiver window" in tcpgoodput.link(path, rate_bps=21e6).answer


def test_losses_in_bad_times(tmp_path: Path) -> None:
    lost = {k for start in range(50, 1000, 100) for k in range(start, start + 6)}
    path = tmp_path / "ping.txt"
    path.write_text(made.ping(lost, 1000), encoding="utf-8")
    loss = tcpgoodput.link(path, rate_bps=12e6, simulate=False).scenario.loss
    assert isinstance(loss, GilbertElliott)
    assert loss.bad_share == pytest.approx(0.06, rel=1e-3)
    # Six echoes, half a second apart, are three seconds: 3000 packets of 1500 bytes at 12 Mbit/s.
    assert 1 / loss.bad_to_good == pytest.approx(3000, rel=0.1)


def test_a_ping_during_the_transfer(tmp_path: Path, files: dict[str, str]) -> None:
    test = made.iperf3()
    test["start"]["timestamp"]["timesecs"] = 1_700_000_100  # the ping lasts from …000 to …300
    path = tmp_path / "iperf3.txt"
    path.write_text(json.dumps(test), encoding="utf-8")
    found = tcpgoodput.link(files["ping"], path, simulate=False)
    assert found.scenario.propagation_rtt_s == pytest.approx(0.020)  # the minimum


def test_what_is_missing_for_a_scenario(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = tcpgoodput.link(files["ping"])
    assert list(found.missing) == ["the rate of the link"]
    with pytest.raises(tcpgoodput.ConfigurationError, match="--rate 20M"):
        _ = found.scenario
    assert run(["link", files["ping"]]) == 0
    assert "iperf3 -c HOST -t 30 -J" in capsys.readouterr().out


def test_the_command(
    tmp_path: Path, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    written = tmp_path / "link.yaml"
    words = ["link", files["ping"], files["iperf3"], "--no-simulation"]
    assert run([*words, "--output", str(written)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "limited by" in out
    assert "The transfer in iperf3.txt reached 8.1 Mbit/s" in out
    text = written.read_text(encoding="utf-8")
    assert "# the largest goodput that was seen" in text
    scenario = tcpgoodput.load(written)
    assert scenario == tcpgoodput.link(files["ping"], files["iperf3"], simulate=False).scenario
    assert run([*words, "--output", str(written)]) == 0  # the same content
    written.write_text("id: other\n", encoding="utf-8")
    assert run([*words, "--output", str(written)]) == 2
    assert "has other content" in capsys.readouterr().err
    assert run([*words, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["measured_bps"] == 8.1e6
    assert {row["quantity"] for row in record["known"]} >= {"loss", "rtt_min_s", "goodput_bps"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rate", "fast"], "--rate"),
        (["--rtt", "-1"], "--rtt"),
        (["--rtt", "40000"], "--rtt"),
        (["--variant", "vegas"], "no value is called 'vegas'"),
        (["--every", "nan"], "--every"),
        (["--udp-fills", "maybe"], "--udp-fills"),
        (["--output", "."], "is a folder"),
        (["nowhere.txt"], "no such file"),
    ],
)
def test_bad_options(
    files: dict[str, str], capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert run(["link", files["ping"], files["iperf3"], "--no-simulation", *words]) == 2
    found = capsys.readouterr().err
    assert message in found
    assert "Traceback" not in found


@pytest.mark.parametrize(("text", "rtt_s"), [("40ms", 0.04), ("0.04", 0.04), ("40 ms", 0.04)])
def test_numbers_with_units(files: dict[str, str], text: str, rtt_s: float) -> None:
    from tcpgoodput.cli.stated_link import RATE, ROUND_TRIP, number_of

    assert number_of(ROUND_TRIP, text) == pytest.approx(rtt_s)
    assert number_of(RATE, "20M") == number_of(RATE, "20 Mbit/s") == 20e6
