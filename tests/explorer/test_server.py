"""The server: for this machine's own pages alone, alive whatever is asked, never behind."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.compare import compare
from tcpgoodput.configuration import Document
from tcpgoodput.explorer import server as module
from tcpgoodput.explorer import worker
from tcpgoodput.explorer.presets import Preset
from tcpgoodput.explorer.server import Explorer, Server
from tests.scenarios import PLAIN

LOSSY = {**PLAIN, "id": "lossy", "loss": {"process": "bernoulli", "probability": 0.01}}
QUICK_S = 30.0


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("results")
    (folder / "a.csv").write_text("x\n1\n", encoding="utf-8")
    preset = Preset.of(Document("lossy", LOSSY))
    files = {"results/s/a.csv": folder / "a.csv"}
    explorer = Explorer({"lossy": preset}, "<p>page</p>", lambda: {"matrix": None}, lambda: files)
    with Server(explorer, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def get(server: Server, path: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=60)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def ask(server: Server, page: str = "a", kind: str = "answer", **pairs: Any) -> list[dict]:
    query = urlencode({"scenario": "lossy", "page": page, **pairs})
    status, text = get(server, f"/{kind}?{query}")
    assert status == 200
    return [json.loads(line) for line in text.splitlines()]


def test_it_listens_on_the_loopback_address_alone(running: Server) -> None:
    assert running.server_address[0] == "127.0.0.1"


def test_page_library_and_named_files_are_served(running: Server) -> None:
    assert get(running, "/") == (200, "<p>page</p>")
    assert get(running, "/library") == (200, '{"matrix": null}')
    assert get(running, "/results/s/a.csv") == (200, "x\n1\n")


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/results/s/../../../etc/passwd",
        "/results/s/b.csv",
        "/results/s/%2e%2e/s/a.csv",
    ],
)
def test_no_other_file_is_read(running: Server, path: str) -> None:
    assert get(running, path)[0] == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_other_sites_are_refused(running: Server, headers: dict[str, str]) -> None:
    assert get(running, "/answer?scenario=lossy", **headers)[0] == 403


def test_a_browser_is_told_to_load_nothing_from_elsewhere(running: Server) -> None:
    connection = http.client.HTTPConnection(*running.server_address[:2])
    connection.request("GET", "/")
    policy = connection.getresponse().headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy


def test_an_answer_ends_with_the_command_lines_numbers(running: Server) -> None:
    records = ask(running, **{"loss.probability": 0.03})
    changed = {**LOSSY, "loss": {"process": "bernoulli", "probability": 0.03}}
    said = compare(Preset.of(Document("lossy", changed)).scenario, Conditions())
    assert [record["kind"] for record in records][:4] == ["scenario", "models", "answer", "window"]
    assert records[-1] == {"kind": "end"}
    last = [record for record in records if record["kind"] == "answer"][-1]
    assert last["simulation"]["goodput_bps"] == said["simulation"]["goodput_bps"]
    assert last["models"] == said["models"]


@pytest.mark.parametrize(
    ("kind", "pairs", "message"),
    [
        ("answer", {"scenario": "none"}, "no scenario is called"),
        ("answer", {"loss.probability": 2}, "loss.probability=2"),
        ("answer", {"nonsense": 1}, "nonsense"),
        ("answer", {"loss.probability": "[" * 100}, "nested deeper"),
        ("answer", {"title": "x" * 20_000}, "too long"),
        ("sweep", {"key": "tcp"}, "not a key that a sweep can follow"),
        ("sweep", {"key": "loss.probability", "from": "a", "to": "1"}, "must be a number"),
    ],
)
def test_bad_input_is_one_message_and_the_page_stays_alive(
    running: Server, kind: str, pairs: dict[str, Any], message: str
) -> None:
    (record,) = ask(running, kind=kind, **pairs)
    assert record["kind"] == "problem"
    assert message in record["message"]
    assert get(running, "/")[0] == 200


def test_a_new_question_of_the_same_page_ends_the_last_one(running: Server) -> None:
    key = {"key": "loss.probability", "from": 0.001, "to": 0.1, "points": 41}
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(ask, running, "page", "sweep", **key)
        time.sleep(0.3)
        assert ask(running, "page")[-1] == {"kind": "end"}
        assert slow.result()[-1] == {"kind": "stopped"}


def test_fifty_changes_in_a_row_do_not_queue_up(running: Server) -> None:
    ask(running)  # compiled
    started = time.monotonic()
    with ThreadPoolExecutor(50) as pool:
        values = [0.01 + n / 1000 for n in range(50)]
        answers = list(pool.map(lambda p: ask(running, "fast", **{"loss.probability": p}), values))
    assert time.monotonic() - started < QUICK_S
    ends = [records[-1]["kind"] for records in answers]
    assert ends.count("end") >= 1
    assert set(ends) <= {"end", "stopped", "problem"}
    assert ends.count("end") < 25  # those that nobody waits for are given up
    assert ask(running, "fast")[-1] == {"kind": "end"}


def resident_kib(process: str = "self") -> int:
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in status if "VmRSS" in line).split()[1])


def children() -> int:
    return len(multiprocessing.active_children())


def test_memory_does_not_grow(running: Server) -> None:
    for n in range(5):
        ask(running, **{"loss.probability": 0.01 + n / 1000})
    before = resident_kib()
    for n in range(15):
        ask(running, f"page-{n}", **{"loss.probability": 0.02 + n / 1000})
    assert resident_kib() - before < 10_000
    assert children() == 0
    assert len(running.explorer._last) <= module.MOST_PAGES


def test_a_question_without_an_end_is_given_up(
    running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a model nor the simulator looks at the time: their process is ended."""
    started = time.monotonic()
    with monkeypatch.context() as impatient:
        impatient.setattr(worker, "LONGEST_S", 0.001)
        records = ask(running)
    assert time.monotonic() - started < QUICK_S
    assert records[-1] == {"kind": "problem", "message": "given up after 0.001 s"}
    assert children() == 0
    assert ask(running)[-1] == {"kind": "end"}


def test_an_answer_that_breaks_off_says_so(
    running: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text("raise SystemExit(3)", encoding="utf-8")
    monkeypatch.setattr(running.explorer, "model_files", [tmp_path / "broken.py"])
    records = ask(running)
    assert records[-1]["kind"] == "problem"
    assert "broke off" in records[-1]["message"]


def test_two_pages_at_once_have_their_own_answers(running: Server) -> None:
    def three_times(page: str, probability: float) -> list[list[dict]]:
        return [ask(running, page, **{"loss.probability": probability}) for _ in range(3)]

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(three_times, ["one", "two"], [0.01, 0.05]))
    for answers, probability in zip(found, [0.01, 0.05], strict=True):
        for records in answers:
            assert records[-1] == {"kind": "end"}
            assert records[0]["values"]["loss"]["probability"] == probability


def test_more_questions_than_places_are_told_to_ask_again(
    running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_WAIT_S", 0.05)
    places = running.explorer._places
    taken = [places.acquire() for _ in range(module.MOST_AT_ONCE)]
    try:
        (record,) = ask(running)
        assert "too many questions" in record["message"]
    finally:
        for _ in taken:
            places.release()
    assert ask(running)[-1] == {"kind": "end"}


def test_other_commands_load_no_server() -> None:
    code = "import sys, tcpgoodput.cli.app; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "tcpgoodput.cli.explore" in loaded
    assert not {"http.server", "tcpgoodput.explorer", "webbrowser", "PIL"} & loaded


def test_what_cannot_be_served_is_bad_input(tmp_path: Path, running: Server) -> None:
    def explore(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-c", "from tcpgoodput.cli import main; main()", "explore"]
        run = subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True)
        return run.returncode, run.stderr

    status, message = explore()
    assert status == 2
    assert "name a scenario's file" in message
    status, message = explore("none.yaml")
    assert (status, message) == (2, "none.yaml: no such file\n")
    (tmp_path / "lossy.yaml").write_text(json.dumps(LOSSY), encoding="utf-8")
    status, message = explore("lossy.yaml", "--port", str(running.server_port))
    assert status == 2
    assert message.startswith("--port: ")
    assert message.count("\n") == 1
