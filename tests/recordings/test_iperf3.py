"""What the receiver of a UDP test of iperf3 reports is a recorded link; other tests are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.studies.recordings.files import read_recording
from tcpgoodput.studies.recordings.recording import RateRecording

RATES = [8e6, 4e6, 2e6]


def interval(second: int, rate_bps: float, *, receiver: bool, omitted: bool = False) -> Any:
    """Return an interval as iperf3 3.12 writes it, with two streams."""
    row: dict[str, Any] = {"start": second, "end": second + 1.0, "seconds": 1.0}
    row |= {"bytes": rate_bps / 8, "bits_per_second": rate_bps, "packets": 100}
    row |= {"jitter_ms": 0.1, "lost_packets": 25, "lost_percent": 25} if receiver else {}
    row |= {"omitted": omitted, "sender": not receiver}
    return {"streams": [{"socket": 5, **row}, {"socket": 7, **row}], "sum": row}


def measured(*, receiver: bool, protocol: str = "UDP") -> dict[str, Any]:
    start = {"connected": [], "version": "iperf 3.12", "test_start": {"protocol": protocol}}
    warm_up = interval(0, 1e9, receiver=receiver, omitted=True)
    intervals = [interval(k, rate, receiver=receiver) for k, rate in enumerate(RATES)]
    return {"start": start, "intervals": [warm_up, *intervals], "end": {"sum": {}}}


def read(path: Path, text: str) -> RateRecording:
    path.write_text(text, encoding="utf-8")
    found = read_recording(path)
    assert isinstance(found, RateRecording)
    return found


def as_stream(test: dict[str, Any]) -> str:
    events = [("start", test["start"])]
    events += [("interval", one) for one in test["intervals"]]
    events += [(name, test[name]) for name in ("end", "server_output_json") if name in test]
    return "".join(json.dumps({"event": name, "data": data}) + "\n" for name, data in events)


def as_error(message: str) -> str:
    return json.dumps({"event": "error", "data": message}) + "\n"


@pytest.mark.parametrize("write", [json.dumps, lambda t: json.dumps(t, indent="\t"), as_stream])
@pytest.mark.parametrize("of_server", [False, True])
def test_the_receiver_of_udp_gives_the_rates(tmp_path: Path, write: Any, of_server: bool) -> None:
    test = measured(receiver=True)
    if of_server:
        test = {**measured(receiver=False), "server_output_json": test}
    found = read(tmp_path / "t.json", write(test))
    assert found.times_s.tolist() == [0, 1, 2, 3]
    assert found.rates_bps.tolist() == RATES
    assert "25 % of the packets were lost" in found.understood


def test_a_test_without_losses_is_pointed_out(tmp_path: Path) -> None:
    text = json.dumps(measured(receiver=True)).replace('"lost_packets": 25', '"lost_packets": 0')
    assert "less than the link can carry" in read(tmp_path / "t.json", text).understood


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps(measured(receiver=False)), "sender of a UDP test"),
        (json.dumps(measured(receiver=False, protocol="TCP")), "TCP transfer"),
        (as_stream(measured(receiver=False, protocol="TCP")), "TCP transfer"),
        (json.dumps(measured(receiver=True))[:-300], "cut off"),
        ('{"start": {"connected": []}, "intervals": ' + "[" * 100_000, "cut off"),
        ('{"start": {"version": 1}, "intervals": [1]}', "changed"),
        (as_stream(measured(receiver=True))[:-20], "cut off"),
        ('{"start": {}, "error": "unable to connect to server"}', "'unable to connect to server'"),
        ('{"event": "error", "data": "the server is busy"}', "'the server is busy'"),
        (as_stream(measured(receiver=False)) + as_error("was terminated"), "'was terminated'"),
        ('{"start": {"version": 1}, "intervals": []}', "without intervals"),
        ('{"start": {"version": 1}, "intervals": [{}]}', "intervals of a UDP receiver"),
        (json.dumps(measured(receiver=True)).replace('"end": 1.0', '"end": 1e999'), "follow"),
    ],
)
def test_other_tests_are_refused_with_a_way_to_measure(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ConfigurationError) as error:
        read(tmp_path / "t.json", text)
    assert message in str(error.value)
    assert message == "follow" or "iperf3 -c HOST -u" in str(error.value)


def test_a_test_that_ended_early_keeps_its_intervals(tmp_path: Path) -> None:
    text = as_stream(measured(receiver=True)) + as_error("the client has terminated")
    found = read(tmp_path / "t.json", text)
    assert found.rates_bps.tolist() == RATES
    assert "ended early: 'the client has terminated'" in found.understood


def test_the_text_of_a_failed_test_says_to_repeat_it(tmp_path: Path) -> None:
    text = "iperf3: error - unable to connect to server: Connection refused\n"
    with pytest.raises(ConfigurationError, match=r"test that failed.*repeat the test"):
        read(tmp_path / "t.txt", text)


@pytest.mark.parametrize("write", [lambda test: json.dumps(test, indent="\t") + "\n", as_stream])
def test_several_tests_in_a_file_are_refused(tmp_path: Path, write: Any) -> None:
    with pytest.raises(ConfigurationError, match="each test as a file of its own"):
        read(tmp_path / "t.json", 2 * write(measured(receiver=True)))
