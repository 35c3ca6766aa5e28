"""`tcpgoodput.link` and its command: a scenario, an answer, and one message for bad input."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Collection, Sequence
from pathlib import Path

import pytest

import tcpgoodput
from tcpgoodput.cli.app import run
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.scenario.loss import Bernoulli, GilbertElliott
from tests.measured import made


def _written(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def _echoes(folder: Path, lost: Collection[int], count: int = 1200) -> Path:
    """Write a ping log with lost echoes."""
    return _written(folder, made.ping(lost, count), "ping.txt")


def _resent(folder: Path, resent: int) -> Path:
    """Write a transfer of ten seconds at 8.1 Mbit/s, with a number of segments sent again."""
    test = made.iperf3(sum_sent={"bits_per_second": 8.2e6, "retransmits": resent})
    return _written(folder, json.dumps(test), "iperf3.txt")


def _samples(folder: Path, resent: int = 0) -> Path:
    """Write samples of ss, with a number of segments of each thousand sent again."""
    return _written(folder, made.ss(resent=resent), "ss.txt")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Return the names of a ping log with independent losses, and of a transfer after it."""
    ping = _echoes(tmp_path, {40, 170, 260, 390, 420, 555}, 600)  # six of 600: 1 %
    return {"ping": str(ping), "iperf3": str(_resent(tmp_path, 14))}


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
    ping = _echoes(tmp_path, set(), 1000)  # at most 0.37 %
    found = tcpgoodput.link(ping, _resent(tmp_path, 140), simulate=False)  # 2 %
    assert found.scenario.loss.lost_share == 0
    assert "loss" not in found.missing


def test_a_transfer_of_which_every_segment_was_sent_again_is_refused(tmp_path: Path) -> None:
    samples = _samples(tmp_path, 1000)
    with pytest.raises(ConfigurationError, match=r"ss\.txt: says that every packet was lost"):
        tcpgoodput.link(samples, rate_bps=20e6)
    # Echoes tell the loss, too, and a transfer with more is then not used for it.
    found = tcpgoodput.link(samples, _echoes(tmp_path, set()), simulate=False)
    assert found.scenario.loss.lost_share == 0


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
    found = tcpgoodput.link(_echoes(tmp_path, set(), 600), rate_bps=10e6, variant="cubic")
    assert "limited by the rate of the link" in found.answer
    assert found.expected_bps == pytest.approx(10e6 * 1448 / 1500, rel=0.05)
    # No loss in 600 echoes leaves 0.6 %, with which 22 ms allow less than half of that rate.
    assert "The files leave open" in found.answer
    assert "depends on loss" in found.answer


def test_the_window_decides_the_answer(tmp_path: Path) -> None:
    found = tcpgoodput.link(_samples(tmp_path), rate_bps=100e6, variant="sack")
    assert "limited by the receiver window" in found.answer
    # 50 packets of 1400 bytes per 28.5 ms.
    assert found.expected_bps == pytest.approx(50 * 8 * 1400 / 0.0285, rel=0.1)
    assert "The receiver window limited it 90 % of the time" in found.answer


def test_a_window_just_below_the_rate(tmp_path: Path) -> None:
    path = _samples(tmp_path)
    # 20 Mbit/s carry 19.3 Mbit/s of payload, less than the 19.6 Mbit/s of the window.
    assert "by the rate of the link" in tcpgoodput.link(path, rate_bps=20e6).answer
    assert "by the receiver window" in tcpgoodput.link(path, rate_bps=21e6).answer


def test_changes_are_ordinary_per_cent(
    tmp_path: Path, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = tcpgoodput.link(files["ping"], files["iperf3"], variant="cubic", simulate=False)
    assert found.error == pytest.approx(100 * (found.expected_bps / 8.1e6 - 1))
    path = _echoes(tmp_path, set(), 1000)
    found = tcpgoodput.link(path, rate_bps=50e6, rtt_s=0.2, simulate=False)
    costs = found.costs.set_index("input")
    ratios = costs["goodput_bps"] / found.expected_bps
    assert costs["change_%"].tolist() == pytest.approx((100 * (ratios - 1)).tolist(), nan_ok=True)
    # 45 packets of 1448 bytes per 200 ms are 2.6 of 48 Mbit/s, which is easier to read as a factor.
    assert ratios["receiver window"] == pytest.approx(0.054, rel=0.01)
    words = ["link", str(path), "--rate", "50M", "--rtt", "200ms", "--no-simulation"]
    assert run(words) == 0
    assert "×0.054" in capsys.readouterr().out


SIXES = {k for start in range(50, 1000, 100) for k in range(start, start + 6)}
"""Echoes that are lost in ten runs of six."""


def test_a_link_of_which_no_model_knows_a_goodput(tmp_path: Path) -> None:
    found = tcpgoodput.link(_echoes(tmp_path, SIXES, 1000), rate_bps=12e6, simulate=False)
    assert not found.advice.models
    losses = found.costs[found.costs["input"] == "loss"]
    assert losses["goodput_bps"].isna().all()  # in place of what a link without loss carries
    assert len(found.precision) == 1
    assert json.dumps(found.record, allow_nan=False)


@pytest.mark.parametrize(
    ("counter", "limit"),
    [
        ("rwnd_limited:900ms(90.5%)", "the receiver window"),
        ("busy:{k}000ms sndbuf_limited:700ms(70.0%)", "the sender's buffer"),
        ("busy:{k}00ms", "the sending application"),
        ("busy:{k}000ms", None),
    ],
)
def test_counters_of_the_kernel_decide_if_the_rate_is_assumed(
    tmp_path: Path, counter: str, limit: str | None
) -> None:
    samples = made.ss(resent=0).split("rwnd_limited:900ms(90.5%)")
    text = samples[0] + "".join(
        counter.format(k=k) + rest.replace("snd_wnd:70000", "snd_wnd:700000")
        for k, rest in enumerate(samples[1:], 1)
    )
    path = _written(tmp_path, text, "ss.txt")
    answer = tcpgoodput.link(path, variant="cubic", simulate=False).answer
    assert ("limited by" in answer) == (limit is not None)
    assert limit is None or f"limited by {limit}, " in answer
    assert "The rate of the link is unknown, and it may be faster" in answer


def test_a_counter_and_a_rate_that_is_not_reached(tmp_path: Path) -> None:
    path = _samples(tmp_path, resent=5)
    # With a loss of 0.5 %, the goodput is far below 50 Mbit/s; the kernel saw the window.
    answer = tcpgoodput.link(path, rate_bps=50e6, variant="cubic", simulate=False).answer
    assert "limited by the receiver window" in answer
    assert "unknown" not in answer


def test_a_transfer_that_is_faster_than_its_losses_allow(tmp_path: Path) -> None:
    found = tcpgoodput.link(_resent(tmp_path, 140), simulate=False)  # 2 % allow less
    assert found.error is not None
    assert found.error < -25
    assert "limited by" not in found.answer
    assert "do not explain" in found.answer
    of_queue = found.costs[found.costs["assumption"].str.contains("queue dropped")]
    assert of_queue["goodput_bps"].tolist() == [pytest.approx(found.limits["packet loss"])]
    assert "If the queue dropped all" in found.answer


def test_a_ping_that_lost_echoes_excludes_losses_of_the_queue_alone(tmp_path: Path) -> None:
    ping = _echoes(tmp_path, set(range(10, 600, 40)), 600)  # 2.5 %
    found = tcpgoodput.link(ping, _resent(tmp_path, 140), simulate=False)
    assert not found.costs["assumption"].str.contains("queue dropped").any()


@pytest.mark.parametrize(("rate_bps", "explained"), [(12e6, False), (9e6, True), (6e6, False)])
def test_a_difference_of_a_quarter_is_not_explained(
    tmp_path: Path, rate_bps: float, explained: bool
) -> None:
    ping, transfer = _echoes(tmp_path, set(), 1000), _resent(tmp_path, 0)
    found = tcpgoodput.link(ping, transfer, rate_bps=rate_bps)
    assert found.expected_bps == pytest.approx(rate_bps * 1448 / 1500, rel=0.05)
    assert ("do not explain" not in found.answer) == explained


def test_half_of_the_lost_echoes_may_be_lost_on_the_way_back(
    tmp_path: Path, files: dict[str, str]
) -> None:
    found = tcpgoodput.link(files["ping"], rate_bps=50e6, simulate=False)
    back = found.costs[found.costs["assumption"].str.contains("way back")]
    assert back["goodput_bps"].item() > 1.2 * found.expected_bps  # about √2 times
    counts = {"bits_per_second": 5e6, "packets": 1000, "lost_packets": 10}
    test = made.iperf3(sum_received=counts, sum={})
    test["start"]["test_start"] |= {"protocol": "UDP", "blksize": 1400}
    path = _written(tmp_path, json.dumps(test), "udp.txt")
    one_way = tcpgoodput.link(path, rate_bps=50e6, rtt_s=0.02, simulate=False)
    assert not one_way.costs["assumption"].str.contains("way back").any()


@pytest.mark.parametrize(("rto_ms", "floor_s"), [(230, 0.2), (80, 0.05), (1030, 1.0)])
def test_the_smallest_timeout_of_the_sender(tmp_path: Path, rto_ms: int, floor_s: float) -> None:
    text = made.ss()
    for k in range(6):  # Linux adds the smallest timeout to the round trip
        text = text.replace(f"rto:230 rtt:{30 + k}.5", f"rto:{rto_ms + k} rtt:{30 + k}.5")
    path = _written(tmp_path, text, "ss.txt")
    found = tcpgoodput.link(path, rate_bps=20e6, simulate=False)
    assert found.scenario.tcp.rto.min_s == pytest.approx(floor_s, abs=0.001)
    assert "smallest timeout" not in found.missing


def test_outages_are_losses_and_not_also_delays(tmp_path: Path) -> None:
    lost = {k for start in (100, 400, 700, 900) for k in range(start, start + 20)}
    found = tcpgoodput.link(_echoes(tmp_path, lost, 1000), rate_bps=10e6, simulate=False)
    stalls = found.known.set_index("quantity").loc["stalls_per_s"]
    assert stalls["count"] == 4
    assert isinstance(found.scenario.loss, GilbertElliott)
    assert found.scenario.loss.bad_share == pytest.approx(0.08, rel=1e-3)
    assert found.scenario.spikes is None


def test_rare_outages_on_a_fast_link(tmp_path: Path) -> None:
    path, done = _echoes(tmp_path, set(range(981, 1001)), 1000), []
    found = tcpgoodput.link(
        path, rate_bps=2e8, variant="sack", report=lambda *numbers: done.append(numbers)
    )
    # To simulate ten of these outages, 500 s apart, takes 80 million packets.
    assert found.expected_bps < 0.98 * 2e8 * 1448 / 1500
    assert any("rare" in sentence for sentence in found.precision)
    assert done == [(k, len(done)) for k in range(len(done))]
    assert len(done) >= len(found.costs)


def test_sources_that_contradict_each_other(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["link", files["ping"], "--rate", "20M", "--rtt", "60s", "--no-simulation"]) == 0
    shown = capsys.readouterr()
    assert "did you mean 0.03 (30 ms)?" in shown.err
    assert "Contradictions:" in shown.out
    assert "60000 ms by --rtt, but 20 ms by ping.txt" in " ".join(shown.out.split())
    words = ["link", files["ping"], files["iperf3"], "--no-simulation", "--rate"]
    assert run([*words, "3M"]) == 0
    assert "3 Mbit/s by --rate, but a transfer" in " ".join(capsys.readouterr().out.split())
    assert run([*words, "20M", "--rtt", "30ms"]) == 0
    shown = capsys.readouterr()
    assert "Contradictions:" not in shown.out
    assert shown.err == ""


def test_losses_in_bad_times(tmp_path: Path) -> None:
    path = _echoes(tmp_path, SIXES, 1000)
    loss = tcpgoodput.link(path, rate_bps=12e6, simulate=False).scenario.loss
    assert isinstance(loss, GilbertElliott)
    assert loss.bad_share == pytest.approx(0.06, rel=1e-3)
    # Six echoes, half a second apart, are three seconds: 3000 packets of 1500 bytes at 12 Mbit/s.
    assert 1 / loss.bad_to_good == pytest.approx(3000, rel=0.1)


def test_a_ping_during_the_transfer(tmp_path: Path, files: dict[str, str]) -> None:
    test = made.iperf3()
    test["start"]["timestamp"]["timesecs"] = 1_700_000_100  # the ping lasts from …000 to …300
    path = _written(tmp_path, json.dumps(test), "iperf3.txt")
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
    assert "The rate of the link is unknown" in out  # nor is it called the limit
    assert "limited by" not in out
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
        (["--rate", "20MB"], "did you mean 160M?"),
        (["--rate", "1.5 GB/s"], "did you mean 12G?"),
        (["--rate", "2,5M"], "did you mean 2.5M?"),
        (["--rtt", "0,04"], "did you mean 0.04?"),
        (["--rtt", "-1"], "--rtt"),
        (["--rtt", "40000"], "--rtt"),
        (["--variant", "vegas"], "no value is called 'vegas'"),
        (["--every", "nan"], "--every"),
        (["--udp-fills", "maybe"], "--udp-fills"),
        (["--output", "."], "is a folder"),
        (["--output", "no/link.yaml"], "there is no folder no"),
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


def _transfer(
    folder: Path, each: Sequence[int], name: str = "iperf3.txt", rate_bps: float = 15e6
) -> Path:
    """Write a transfer at a rate whose seconds have some numbers of segments sent again."""
    test = made.iperf3(len(each))
    for interval, count in zip(test["intervals"], each, strict=True):
        interval["sum"] |= {"retransmits": count, "bits_per_second": rate_bps}
        interval["streams"][0] |= {"snd_wnd": 3_000_000, "rtt": 61_000}
    test["end"] |= {
        "sum_sent": {"bits_per_second": rate_bps, "retransmits": sum(each)},
        "sum_received": {"bits_per_second": rate_bps},
        "sender_tcp_congestion": "cubic",
    }
    return _written(folder, json.dumps(test), name)


BURSTS = [0, *[0, 0, 60] * 10]
"""Segments sent again in each second: 60 in ten of thirty, after the first one."""


def _over_a_queue(folder: Path, rates_bps: Sequence[float], rtt_us: int, resent: int) -> Path:
    """Write a transfer whose queue lengthens its round trips, with segments sent again."""
    path = _transfer(folder, [resent] * len(rates_bps))
    test = json.loads(path.read_text(encoding="utf-8"))
    for interval, rate_bps in zip(test["intervals"], rates_bps, strict=True):
        interval["sum"]["bits_per_second"] = rate_bps
        interval["streams"][0]["rtt"] = rtt_us
    test["end"]["sum_received"]["bits_per_second"] = sum(rates_bps) / len(rates_bps)
    return _written(folder, json.dumps(test), path.name)


def test_a_transfer_that_kept_a_queue_tells_the_rate(tmp_path: Path) -> None:
    ping = _echoes(tmp_path, set())  # during the transfer, too: the least is 20 ms
    # Slow start fills 600 packets, at twice the rate of the link; the sender counts them as sent.
    transfer = _over_a_queue(tmp_path, [9.2e6, 9.7e6, 9.2e6, *[4.8e6] * 27], 1_300_000, 40)
    found = tcpgoodput.link(ping, transfer, simulate=False)
    assert found.scenario.path.rate_bps == pytest.approx(4.8e6 * 1500 / 1448, rel=1e-4)
    assert found.scenario.loss.lost_share == 0  # the queue dropped what was sent again
    assert found.expected_bps == pytest.approx(4.8e6, rel=0.05)
    assert "limited by the rate of the link" in found.answer
    assert "Other traffic may have taken a part" in found.answer
    assert "1300 ms or longer, in place of 20 ms without load (bufferbloat)" in found.answer
    assert "rate" not in found.missing


@pytest.mark.parametrize(("rtt_us", "is_busy"), [(29_500, False), (30_500, True)])
def test_a_queue_of_half_a_round_trip_keeps_the_link_busy(
    tmp_path: Path, rtt_us: int, is_busy: bool
) -> None:
    ping = _echoes(tmp_path, set())
    transfer = _over_a_queue(tmp_path, [6e6, 12e6, *[6e6] * 9], rtt_us, 0)
    rate_bps = tcpgoodput.link(ping, transfer, simulate=False).scenario.path.rate_bps
    assert rate_bps == pytest.approx((6e6 if is_busy else 12e6) * 1500 / 1448, rel=1e-4)


def test_a_transfer_without_queue_and_loss_did_not_fill_the_link(tmp_path: Path) -> None:
    ping = _echoes(tmp_path, set())
    transfer = _over_a_queue(tmp_path, [5e6] * 20, 22_000, 0)
    text = transfer.read_text(encoding="utf-8").replace('"snd_wnd": 3000000, ', "")
    transfer.write_text(text, encoding="utf-8")
    answer = tcpgoodput.link(ping, transfer, simulate=False).answer
    assert "without a queue and without loss" in answer
    assert "a window of about 13.8 kB" in answer  # 5 Mbit/s times 22 ms
    transfer.write_text(text.replace('"cubic"', '"bbr"'), encoding="utf-8")
    assert "without a queue" not in tcpgoodput.link(ping, transfer, simulate=False).answer


def test_a_transfer_a_tenth_below_all_that_the_files_leave_open(tmp_path: Path) -> None:
    transfer = _transfer(tmp_path, [0] * 30, rate_bps=8.5e6)  # which 20 Mbit/s do not explain
    found = tcpgoodput.link(_echoes(tmp_path, set()), transfer, rate_bps=10.5e6)
    assert found.error is not None
    assert 10 < found.error < 25
    assert min(found.costs["goodput_bps"]) > 1.1 * 8.5e6
    assert "is open" in found.answer


def test_files_of_two_hosts_are_a_contradiction(tmp_path: Path) -> None:
    ping = _echoes(tmp_path, ALONE)
    text = made.ping(ALONE, 1200).replace("192.0.2.7", "198.51.100.7")
    other = _written(tmp_path, text, "other.txt")
    (doubt,) = tcpgoodput.link(ping, other, rate_bps=20e6, simulate=False).contradictions
    assert "198.51.100.7" in doubt
    assert "192.0.2.7" in doubt


def test_a_round_trip_that_the_files_disprove_without_a_rate(tmp_path: Path) -> None:
    found = tcpgoodput.link(_echoes(tmp_path, ALONE), rtt_s=4.0)
    assert list(found.missing) == ["the rate of the link"]
    (doubt,) = found.contradictions
    assert "4000 ms by --rtt" in doubt


IN_RUNS = {k for start in range(50, 1200, 200) for k in (start, start + 1, start + 2)}
ALONE = set(range(50, 1200, 100))


@pytest.mark.parametrize("each", [None, [*[0, 0, 1] * 10, 0], [20] * 31, BURSTS])
def test_bad_times_of_echoes_are_kept(tmp_path: Path, each: list[int] | None) -> None:
    ping = _echoes(tmp_path, IN_RUNS)  # 18 of 1200 in six runs: 1.5 %
    files = [ping] if each is None else [_transfer(tmp_path, each), ping]
    loss = tcpgoodput.link(*files, rate_bps=20e6, simulate=False).scenario.loss
    assert isinstance(loss, GilbertElliott)
    assert loss.bad_share == pytest.approx(18 / 1200, rel=1e-3)
    # Three echoes, half a second apart: 1.5 s, 2500 packets of 1500 bytes at 20 Mbit/s.
    assert 1 / loss.bad_to_good == pytest.approx(2500, rel=0.2)


def test_intervals_without_losses_tell_the_loss_events_of_a_transfer(tmp_path: Path) -> None:
    ping = _echoes(tmp_path, ALONE)  # 12 of 1200, each alone: 1 %
    found = tcpgoodput.link(ping, _transfer(tmp_path, BURSTS), rate_bps=20e6)
    # Two thirds of the seconds have no loss: ln 1.5 = 0.405 events a second, 49 segments each.
    assert value_of(found, "burst_packets") == pytest.approx(20 / math.log(1.5), rel=1e-3)
    assert isinstance(found.scenario.loss, GilbertElliott)
    # Segments of 15 Mbit/s are 0.77 ms apart, so a bad time takes 38 ms; a slot takes 0.6 ms.
    assert 1 / found.scenario.loss.bad_to_good == pytest.approx(38 / 0.6, rel=0.05)
    # Independent losses of 1.5 % would leave about 2 Mbit/s.
    assert found.expected_bps == pytest.approx(15e6, rel=0.25)
    assert "loss events" not in found.missing


def value_of(found: tcpgoodput.MeasuredLink, quantity: str) -> float:
    return float(found.known.set_index("quantity")["value"][quantity])


def test_independent_losses_of_a_transfer_stay_independent(tmp_path: Path) -> None:
    # A Poisson number with the mean ln 10 = 2.3 is 0 in a tenth of the intervals.
    each = [5, *[0, 2, 3, 1, 2, 4, 3, 2, 1, 5] * 3]
    found = tcpgoodput.link(_transfer(tmp_path, each), rate_bps=20e6, rtt_s=0.06, simulate=False)
    assert isinstance(found.scenario.loss, Bernoulli)
    assert value_of(found, "burst_packets") == pytest.approx(2.3 / math.log(10), abs=0.01)


def test_a_share_of_a_transfer_above_that_of_the_echoes(tmp_path: Path) -> None:
    ping = _echoes(tmp_path, {600})  # 1 of 1200: at most 0.46 %
    found = tcpgoodput.link(ping, _transfer(tmp_path, [20] * 30), rate_bps=20e6, simulate=False)
    assert found.scenario.loss.lost_share == pytest.approx(1 / 1200, rel=1e-3)


def test_the_answer_does_not_depend_on_the_order_of_the_files(tmp_path: Path) -> None:
    files = [
        _echoes(tmp_path, ALONE),
        _transfer(tmp_path, BURSTS, "slow.txt", 6e6),
        _transfer(tmp_path, BURSTS, "fast.txt", 18e6),
    ]
    records = [
        tcpgoodput.link(*some, simulate=False).record for some in itertools.permutations(files)
    ]
    assert all(record == records[0] for record in records)
    assert records[0]["measured_bps"] == 18e6
    (doubt,) = records[0]["contradictions"]
    assert "18 Mbit/s" in doubt
    assert "6 Mbit/s" in doubt


@pytest.mark.parametrize("change", [{"target_bitrate": 6_000_000}, {"num_streams": 3}])
def test_transfers_that_may_differ(tmp_path: Path, change: dict[str, int]) -> None:
    slow = _transfer(tmp_path, BURSTS, "slow.txt", 6e6)
    test = json.loads(slow.read_text(encoding="utf-8"))
    test["start"]["test_start"] |= change
    slow.write_text(json.dumps(test), encoding="utf-8")
    fast = _transfer(tmp_path, BURSTS, "fast.txt", 18e6)
    assert not tcpgoodput.link(slow, fast, rtt_s=0.06, simulate=False).contradictions


def test_a_transfer_that_filled_the_link_was_limited_by_its_rate(tmp_path: Path) -> None:
    transfer = _transfer(tmp_path, [9] * 30, rate_bps=19e6)
    answer = tcpgoodput.link(_echoes(tmp_path, ALONE), transfer, rate_bps=20e6).answer
    assert "limited by the rate of the link, expect the 19 Mbit/s" in answer


@pytest.mark.parametrize("rate_bps", [15e6, 0.5e6])
def test_a_transfer_outside_of_what_the_files_leave_open(tmp_path: Path, rate_bps: float) -> None:
    transfer = _transfer(tmp_path, [9] * 30, rate_bps=rate_bps)
    found = tcpgoodput.link(_echoes(tmp_path, ALONE), transfer, rate_bps=20e6)
    assert "limit" in found.answer
    assert "is open" in found.answer
    assert "outside of what the files leave open" in found.answer
    assert ("longer bursts" in found.answer) == (rate_bps == 15e6)


def test_without_model_and_simulation_the_limit_is_open(tmp_path: Path) -> None:
    found = tcpgoodput.link(_echoes(tmp_path, IN_RUNS), rate_bps=20e6, simulate=False)
    assert math.isnan(found.expected_bps)
    assert found.record["expected_bps"] is None
    assert "limited by" not in found.answer
    assert "is open" in found.answer
    assert "at most 19.3 Mbit/s" in found.answer  # 20 Mbit/s with 52 bytes of headers for 1448


def test_goodputs_that_no_model_has_are_not_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ping = str(_echoes(tmp_path, IN_RUNS))
    assert run(["link", ping, "--rate", "20M", "--no-simulation"]) == 0
    shown = capsys.readouterr().out
    assert "as described" not in shown
    assert re.search(r"Not shown: \d+ of \d+ goodputs, for which no model is in domain", shown)


def test_echoes_outweigh_a_transfer_that_was_silent(tmp_path: Path) -> None:
    test = made.iperf3(60)
    for k, interval in enumerate(test["intervals"]):
        interval["streams"][0]["rtt"] = 30_000 + k - k % 6 // 5  # none in each sixth second
        interval["sum"]["bits_per_second"] *= k % 6 != 5
    transfer = _written(tmp_path, json.dumps(test), "iperf3.txt")
    found = tcpgoodput.link(transfer, simulate=False)
    assert found.scenario.spikes is not None
    found = tcpgoodput.link(transfer, _echoes(tmp_path, set()), simulate=False)
    assert found.scenario.spikes is None
    assert any(line.startswith("stalls per minute: 0 ") for line in found.contradictions)


def test_a_transfer_of_another_sender_is_no_measure(tmp_path: Path) -> None:
    transfer = _transfer(tmp_path, [0] * 30, rate_bps=2e6)
    found = tcpgoodput.link(transfer, rate_bps=20e6, rtt_s=0.06, variant="bbr")
    assert "its sender was another one: cubic" in found.answer
    assert "explain" not in found.answer


@pytest.mark.parametrize(("queue_ms", "packets"), [(2, 100), (36, 60)])
def test_a_queue_that_was_not_filled_is_no_buffer(
    tmp_path: Path, queue_ms: int, packets: int
) -> None:
    path = _transfer(tmp_path, [0] * 30, rate_bps=18.5e6)
    text = path.read_text(encoding="utf-8").replace("61000", f"{60_000 + 1000 * queue_ms}")
    path.write_text(text, encoding="utf-8")
    found = tcpgoodput.link(path, rate_bps=20e6, rtt_s=0.06, simulate=False)
    # 60 ms are 100 packets of 1500 bytes at 20 Mbit/s.
    assert found.scenario.path.buffer_packets == pytest.approx(packets, abs=1)
    assert ("buffer" in found.missing) == (packets == 100)


def test_a_file_that_is_given_twice_counts_once(tmp_path: Path) -> None:
    ping = _echoes(tmp_path, ALONE)
    copy = tmp_path / "copy.txt"
    copy.write_bytes(ping.read_bytes())
    for again in (ping, tmp_path / "." / ".." / tmp_path.name / "ping.txt", copy):
        found = tcpgoodput.link(ping, again, rate_bps=20e6, simulate=False)
        assert len(found.readings) == 1
        assert any("counts once" in note for note in found.notes)
