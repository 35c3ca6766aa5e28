"""A delay trace from a file: each packet has the delay of its time, and none is reordered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.engines.measurements import Setting
from tcpgoodput.engines.ns2.script import refusal
from tcpgoodput.models.mathis.square_root import Mathis
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario, load_scenario
from tcpgoodput.scenario.content import content_of
from tests.scenarios import scenario
from tests.simulator.running import run


def written(file: Path, steps: list[tuple[float, float]]) -> str:
    lines = "".join(f"{time_s},{delay_s}\n" for time_s, delay_s in steps)
    file.write_text("time_s,delay_s\n" + lines, encoding="utf-8")
    return str(file)


def delayed(file: str, **parts: Any) -> Scenario:
    path = {"rate_bps": 8e6, "forward_delay_s": 0.01, "backward_delay_s": 0.05}
    return scenario(path=path, delay={"file": file}, **parts)


def test_a_window_of_one_packet_follows_the_delay_trace(tmp_path: Path) -> None:
    """With a window of one packet, a round trip is the forward delay, 1 ms and the traced delay.

    1 ms is the packet's transmission time.
    """
    steps = [(0.0, 0.02), (0.3, 0.3), (0.5, 0.05), (0.9, 0.001), (1.0, 0.0)]
    file = written(tmp_path / "delay.csv", steps)
    tcp = {"max_window_packets": 1, "rto": {"min_s": 5}}
    counts = run(delayed(file, tcp=tcp), 50.0, phase=0.0).counts
    at, delivered = 0.0, 0
    while True:
        leaves = at + 0.01 + 0.001
        in_trace = leaves % 1.0
        at = leaves + next(d for t, d in reversed(steps[:-1]) if t <= in_trace)
        if at >= 50.0:
            break
        delivered += 1
    assert counts.delivered == pytest.approx(delivered, abs=1)
    assert counts.timeouts == 0


def test_packets_are_not_reordered_if_the_delay_falls(tmp_path: Path) -> None:
    file = written(tmp_path / "delay.csv", [(0, 0.4), (1, 0.01), (2, 0.01)])
    tcp = {"max_window_packets": 30, "rto": {"min_s": 5}}
    counts = run(delayed(file, tcp=tcp), 200.0, phase=0.0).counts
    assert counts.fast_retransmits == counts.retransmissions == 0
    assert counts.delivered > 1000


def test_a_constant_delay_trace_equals_a_path_delay(tmp_path: Path) -> None:
    file = written(tmp_path / "delay.csv", [(0, 0.05), (1, 0.05), (2, 0.05)])
    loss = {"process": "bernoulli", "probability": 0.01}
    with_trace = delayed(file, loss=loss)
    plain = with_trace.model_copy(update={"delay": None})
    traced, usual = (run(one, 100.0, seed=3, phase=0.0).counts for one in (with_trace, plain))
    assert traced == usual


def test_a_capacity_and_a_delay_start_at_the_same_place(tmp_path: Path) -> None:
    """Capacity and delay traces start at the same random time of both files.

    So the link is always fast while the delay is short, and the goodput is the same for all seeds.
    """
    capacity = tmp_path / "capacity.csv"
    capacity.write_text("time_s,capacity_bps\n0,8e6\n1,1e5\n2,0\n", encoding="utf-8")
    file = written(tmp_path / "delay.csv", [(0, 0.01), (1, 1.0), (2, 0)])
    request = delayed(
        file,
        tcp={"max_window_packets": 4, "rto": {"min_s": 5}},
        capacity={"process": "trace", "file": str(capacity)},
    )
    rates = [run(request, 400.0, seed).counts.delivered for seed in range(6)]
    assert max(rates) < 1.03 * min(rates)


def test_ns2_and_models_refuse_a_varying_delay(tmp_path: Path) -> None:
    request = delayed(written(tmp_path / "delay.csv", [(0, 0.02), (1, 0.3), (2, 0.02)]))
    assert "constant delay" in str(refusal(request))
    found = predict(Mathis(), request)
    assert found.status == "undefined"
    assert "varying delay" in str(found.reason)


def test_keys_without_delay_are_unchanged_and_a_traces_content_counts(
    tmp_path: Path,
) -> None:
    assert 'delay":' not in content_of(scenario()).replace("_delay", "")
    file = written(tmp_path / "delay.csv", [(0, 0.02), (1, 0.3), (2, 0.02)])
    settings = [Setting("draft", 1).on(delayed(file))]
    written(tmp_path / "delay.csv", [(0, 0.02), (1, 0.4), (2, 0.02)])
    settings.append(Setting("draft", 1).on(delayed(file)))
    assert settings[0] != settings[1]
    assert Setting("draft", 1).on(scenario()) == Setting("draft", 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time_s,delay_s\n0,1\n", "needs at least two rows"),
        ("time_s,delay_s\n0,-1\n1,1\n", ":2: delay_s: is -1;"),
        ("time_s,capacity_bps\n0,1\n1,1\n", "the first line must be time_s,delay_s"),
    ],
)
def test_bad_traces_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "delay.csv").write_text(text, encoding="utf-8")
    (tmp_path / "asked.yaml").write_text(
        "id: a\ntitle: A\ntcp: {variant: sack, mss_bytes: 1000}\n"
        "path: {rate_bps: 1e6, forward_delay_s: 0.01, backward_delay_s: 0.01}\n"
        "delay: {file: delay.csv}\n",
        encoding="utf-8",
    )
    with pytest.raises(ConfigurationError) as error:
        load_scenario(tmp_path / "asked.yaml")
    assert message in str(error.value)


def test_a_packet_capture_as_capacity_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "link.pcap").write_bytes(b"\xd4\xc3\xb2\xa1" + bytes(range(256)))
    (tmp_path / "mine.yaml").write_text(
        "id: a\ntitle: A\ntcp: {variant: sack, mss_bytes: 1000}\n"
        "path: {rate_bps: 1e6, forward_delay_s: 0.01, backward_delay_s: 0.01}\n"
        "capacity: {process: trace, file: link.pcap}\n",
        encoding="utf-8",
    )
    with pytest.raises(ConfigurationError, match=r"link\.pcap: .*tcpgoodput trace FILE"):
        load_scenario(tmp_path / "mine.yaml")


def test_a_delay_trace_with_delay_steps_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "delay.csv", [(0, 0.02), (1, 0.3)])
    handoffs = {"interval_s": 5, "packets": 1, "fate": "lost", "delay_steps_s": [0.1]}
    with pytest.raises(ValueError, match="both say the delay"):
        delayed(file, handoffs=handoffs)
