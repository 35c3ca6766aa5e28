"""The explorer's server accepts only local requests, survives bad ones, and stops outdated ones."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.cli.explore import explore
from tcpgoodput.cli.explorer import worker
from tcpgoodput.cli.explorer.server import Explorer, Server, servers
from tcpgoodput.comparison.compare import compare
from tcpgoodput.configuration import ConfigurationError, Document
from tcpgoodput.scenario.files import scenario_request
from tests import worked_example
from tests.cli.program import INTERRUPTIBLE, tcpgoodput
from tests.processes import descendants, forked_workers, is_running
from tests.scenarios import PLAIN

LOSSY = {**PLAIN, "id": "lossy", "loss": {"process": "bernoulli", "probability": 0.01}}
LINK = scenario_request(Document("lossy", LOSSY), None)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("results")
    (folder / "a.csv").write_text("x\n1\n", encoding="utf-8")
    files = {"results/s/a.csv": folder / "a.csv"}
    explorer = Explorer({"lossy": LINK}, "<p>page</p>", lambda: {"matrix": None}, lambda: files)
    with Server(explorer, 0, names=["x-8000.hub.example"]) as server, serving(server):
        yield server


@contextmanager
def serving(server: Server) -> Iterator[None]:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield
    server.shutdown()


@contextmanager
def opened(server: Server, path: str, **headers: str) -> Iterator[http.client.HTTPResponse]:
    with closing(http.client.HTTPConnection(*server.server_address[:2])) as connection:
        connection.request("GET", path, headers=headers)
        yield connection.getresponse()


def get(server: Server, path: str, **headers: str) -> tuple[int, str]:
    with opened(server, path, **headers) as answer:
        return answer.status, answer.read().decode()


def request(server: Server, page: str = "a", kind: str = "answer", **pairs: Any) -> list[dict]:
    query = urlencode({"scenario": "lossy", "page": page, **pairs})
    status, text = get(server, f"/{kind}?{query}")
    assert status == 200
    return [json.loads(line) for line in text.splitlines()]


def raw(server: Server, request: bytes) -> bytes:
    """Send bytes to the server, and return its whole answer."""
    with socket.create_connection(server.server_address[:2], timeout=30) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def reset(server: Server, request: bytes) -> None:
    """Send bytes to the server, and reset the connection without reading an answer."""
    with socket.create_connection(server.server_address[:2], timeout=30) as connection:
        connection.sendall(request)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


def test_the_server_listens_only_on_the_loopback_addresses() -> None:
    explorer = Explorer({}, "<p>page</p>", dict, dict)
    listening = servers(explorer, 0, "localhost", [])
    try:
        addresses = [server.server_address[0] for server in listening]
        assert addresses == ["127.0.0.1", "::1"][: 1 + has_ipv6()]
        assert len({server.server_port for server in listening}) == 1
        assert all(server.is_local for server in listening)
        for server in listening:
            with serving(server):
                assert get(server, "/") == (200, "<p>page</p>")
    finally:
        for server in listening:
            server.server_close()


def test_all_addresses_of_the_machine_can_be_listened_on() -> None:
    (server,) = servers(Explorer({}, "", dict, dict), 0, "0.0.0.0", [])
    with server:
        assert not server.is_local
        assert server.address == f"http://localhost:{server.server_port}/"


def test_page_library_and_listed_files_are_served(running: Server) -> None:
    assert get(running, "/") == (200, "<p>page</p>")
    assert get(running, "/library") == (200, '{"matrix": null}')
    assert get(running, "/results/s/a.csv") == (200, "x\n1\n")


def test_the_form_my_link_gets_keys_or_a_message(running: Server) -> None:
    texts = {"rate": "20M", "rtt": "60", "loss": "1 %", "buffer": "", "sender": "bbr"}
    (record,) = map(json.loads, get(running, f"/link?{urlencode(texts)}")[1].splitlines())
    assert record["kind"] == "link"
    assert float(record["changes"]["path.rate_bps"]) == 2e7
    (record,) = map(json.loads, get(running, "/link?rate=fast&rtt=60")[1].splitlines())
    assert record["kind"] == "problem"
    assert record["message"].startswith("Rate: is 'fast'")
    assert list(record["fields"]) == ["Rate"]


def test_a_problem_of_two_keys_names_both_fields(running: Server) -> None:
    changes = {"tcp.rto.min_s": "80", "tcp.rto.max_s": "60"}
    (record,) = request(running, **changes)
    assert set(record["fields"]) == set(changes)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/results/s/../../../etc/passwd",
        "/results/s/b.csv",
        "/results/s/%2e%2e/s/a.csv",
    ],
)
def test_other_files_are_refused(running: Server, path: str) -> None:
    assert get(running, path)[0] == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Host": "localhost.evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "[::1"},
        {"Host": ""},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
        {
            "Sec-Fetch-Site": "cross-site",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "document",
        },
    ],
)
def test_requests_from_other_sites_are_refused(running: Server, headers: dict[str, str]) -> None:
    assert get(running, "/answer?scenario=lossy", **headers)[0] == 403


@pytest.mark.parametrize(
    "lines", [b"GET / HTTP/1.0", b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost"]
)
def test_a_request_must_name_one_host(running: Server, lines: bytes) -> None:
    assert b" 403 " in raw(running, lines + b"\r\n\r\n").splitlines()[0]


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:9000",
        "127.0.0.1:80",
        "[::1]:8000",
        "192.168.7.1:8000",
        "x-8000.hub.example",
        "X-8000.hub.example:443",
    ],
)
def test_another_port_an_address_and_a_named_proxy_are_accepted(running: Server, host: str) -> None:
    origin = f"https://{host}"
    assert get(running, "/library", Host=host, Origin=origin)[0] == 200


def test_an_unknown_host_is_told_how_to_be_accepted(running: Server) -> None:
    status, text = get(running, "/", Host="y-8000.hub.example:8080")
    assert status == 403
    assert "tcpgoodput explore --behind y-8000.hub.example`" in text
    assert "<script>" not in get(running, "/", Host="<script>.example")[1]


def test_another_site_may_link_to_the_page(running: Server) -> None:
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert get(running, "/", **link, **{"Sec-Fetch-Dest": "document"})[0] == 200
    assert get(running, "/", **link, **{"Sec-Fetch-Dest": "iframe"})[0] == 403


GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
MALFORMED = [
    b"",
    b"\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/x.y\r\n\r\n",
    b"GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET http://[a]/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /\xff\xfe%ff%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /answer?scenario=%ff%ed%a0%80\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /" + 70_000 * b"a" + b" HTTP/1.1\r\n\r\n",
    GET + b"X: " + 70_000 * b"a" + b"\r\n\r\n",
    GET + 200 * b"X: a\r\n" + b"\r\n",
    GET + b"Content-Length: -5\r\n\r\nabc",
    b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01" + bytes(range(256)) + b"\r\n\r\n",
]


def test_malformed_and_cut_requests_leave_the_terminal_quiet(
    running: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    before = threading.active_count()
    for request in MALFORMED:
        with socket.create_connection(running.server_address[:2], timeout=30) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
    for cut in (b"", b"GE", GET, GET + b"\r\n", GET.replace(b"/", b"/library", 1) + b"\r\n"):
        for _ in range(5):
            reset(running, cut)
    while threading.active_count() > before:
        time.sleep(0.01)
    assert get(running, "/")[0] == 200
    assert capsys.readouterr().err == ""


def test_a_failure_in_the_server_is_one_line(
    running: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running.explorer, "answers", lambda *_: 1 / 0)
    with pytest.raises(http.client.RemoteDisconnected):
        get(running, "/answer")
    assert capsys.readouterr().err == "A request failed: ZeroDivisionError: division by zero\n"
    assert get(running, "/")[0] == 200


def test_results_are_read_again_after_a_run() -> None:
    states: Iterator[Any] = iter([{"matrix": None}, {"matrix": 1}, {"matrix": float("nan")}])
    explorer = Explorer({}, "", lambda: next(states), dict)
    with Server(explorer, 0) as server, serving(server):
        assert get(server, "/library") == (200, '{"matrix": null}')
        assert get(server, "/library") == (200, '{"matrix": 1}')
        status, text = get(server, "/library")
        assert (status, "cannot be read now" in text) == (500, True)


def test_the_security_policy_forbids_other_sites(running: Server) -> None:
    with opened(running, "/") as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy


def test_the_last_answer_has_the_numbers_of_the_command_line(running: Server) -> None:
    records = request(running, **{"loss.probability": 0.03})
    scenario = scenario_request(LINK.document, ["loss.probability=0.03"]).scenario
    result = compare(scenario, Conditions())
    assert [record["kind"] for record in records][:4] == ["scenario", "models", "answer", "window"]
    assert records[-1] == {"kind": "end"}
    last = [record for record in records if record["kind"] == "answer"][-1]
    assert {**last["simulation"], "wall_s": 0} == {**result["simulation"], "wall_s": 0}
    assert (last["models"], last["nearest"]) == (result["models"], result["nearest"])


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
def test_bad_input_is_one_message_and_the_server_continues(
    running: Server, kind: str, pairs: dict[str, Any], message: str
) -> None:
    (record,) = request(running, kind=kind, **pairs)
    assert record["kind"] == "problem"
    assert message in record["message"]
    assert get(running, "/")[0] == 200


def test_a_new_request_of_a_page_stops_its_previous_one(running: Server) -> None:
    key = {"key": "loss.probability", "from": 0.001, "to": 0.1, "points": 41}
    query = urlencode({"scenario": "lossy", "page": "page", **key})
    with opened(running, f"/sweep?{query}") as slow:
        assert json.loads(slow.readline())["kind"] == "sweep"  # the first answer has begun
        assert request(running, "page")[-1] == {"kind": "end"}
        assert json.loads(slow.readlines()[-1]) == {"kind": "stopped"}


def test_every_change_of_many_pages_is_answered_or_stopped(running: Server) -> None:
    """Eight pages send changes as a moved slider does: each request replaces the one before."""
    changes = 25

    def ends_of(page: str) -> set[str]:
        draw = Random(page)
        with ThreadPoolExecutor(changes) as pool:
            sent = []
            for _ in range(changes):
                probability = round(draw.uniform(0.001, 0.1), 4)
                pairs = {"loss.probability": probability}
                sent.append((probability, pool.submit(request, running, page, **pairs)))
                time.sleep(draw.uniform(0, 0.02))
        for probability, answered in sent:  # each request gets its own answer
            assert answered.result()[0]["values"]["loss"]["probability"] == probability
        return {answered.result()[-1]["kind"] for _, answered in sent}

    with ThreadPoolExecutor(8) as pool:
        for ends in pool.map(ends_of, [f"page-{n}" for n in range(8)]):
            assert ends <= {"end", "stopped"}
            assert "end" in ends  # at least the last request of a page has a complete answer
    assert request(running, "page-0")[-1] == {"kind": "end"}


def test_the_number_of_workers_is_limited_and_constant(running: Server) -> None:
    request(running)
    before = forked_workers(os.getpid())
    for n in range(5):
        request(running, f"page-{n}", **{"loss.probability": 0.02 + n / 1000})
    assert forked_workers(os.getpid()) == before
    assert len(before) <= worker.MOST_WORKERS


OWN_MODEL = worked_example.code().replace(
    "        p = lost_share(scenario)\n        if p",
    """        p = lost_share(scenario)
        while p == 0.05:
            pass
        if p == 0.06:
            raise SystemExit(3)
        if p""",
)
"""Code of a user's model that never returns at p = 0.05, and ends its process at p = 0.06."""


@pytest.fixture(scope="module")
def own_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("models") / "mine.py"
    file.write_text(OWN_MODEL, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def with_own_model(own_model: Path) -> Iterator[Server]:
    explorer = Explorer({"lossy": LINK}, "", dict, dict, [own_model])
    with Server(explorer, 0) as server, serving(server):
        explorer.pool.prepare()
        yield server


def test_a_users_own_model_is_answered(with_own_model: Server) -> None:
    last = [record for record in request(with_own_model) if record["kind"] == "answer"][-1]
    assert "tfrc" in {model["name"] for model in last["models"]}


def test_an_endless_answer_times_out_and_its_process_is_replaced(
    with_own_model: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as impatient:
        impatient.setattr(worker, "LONGEST_S", 0.1)
        records = request(with_own_model, **{"loss.probability": 0.05})
    assert records[-1] == {"kind": "problem", "message": "given up after 0.1 s"}
    for _ in range(worker.MOST_WORKERS):
        assert request(with_own_model)[-1] == {"kind": "end"}


def test_the_time_of_a_stopped_server_does_not_count(
    running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-Z and `fg`, as after a laptop's sleep, an answer goes on."""
    jumps = itertools.count(0.0, 2 * worker.LONGEST_S)
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: next(jumps)))
    assert request(running, "sleeper")[-1] == {"kind": "end"}


def test_an_endless_answer_is_stopped_by_the_next_request(with_own_model: Server) -> None:
    path = "/answer?scenario=lossy&page=page&loss.probability=0.05"
    with opened(with_own_model, path) as endless:
        assert json.loads(endless.readline())["kind"] == "scenario"
        assert request(with_own_model, "page")[-1] == {"kind": "end"}
        assert json.loads(endless.readlines()[-1]) == {"kind": "stopped"}


def test_a_crashed_answer_is_reported_and_its_process_is_replaced(with_own_model: Server) -> None:
    for _ in range(worker.MOST_WORKERS + 1):
        records = request(with_own_model, **{"loss.probability": 0.06})
        assert records[-1]["kind"] == "problem"
        assert "broke off" in records[-1]["message"]
    assert request(with_own_model)[-1] == {"kind": "end"}


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_the_server_leaves_no_process(
    ended_by: signal.Signals, own_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "lossy.yaml").write_text(json.dumps(LOSSY), encoding="utf-8")
    arguments = ["explore", "lossy.yaml", "--no-browser", "--models", str(own_model)]
    command = [*INTERRUPTIBLE, *arguments]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        port = int(re.search(r":(\d+)/", server.stderr.readline())[1])
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/answer?scenario=lossy&page=a&loss.probability=0.05")
        connection.getresponse().readline()
        while not forked_workers(server.pid):
            time.sleep(0.05)
        started = descendants(server.pid)
        server.send_signal(ended_by)
        errors = server.stderr.read()
    # A process that the server was starting when it was killed may print a traceback.
    assert ended_by == signal.SIGKILL or "Traceback" not in errors
    while any(map(is_running, started)):
        time.sleep(0.05)


def test_other_commands_do_not_import_the_server() -> None:
    code = "import sys, tcpgoodput.cli.app; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "tcpgoodput.cli.explore" in loaded
    assert not {"http.server", "tcpgoodput.cli.explorer", "webbrowser", "PIL"} & loaded


def test_an_invalid_scenario_or_port_is_bad_input(tmp_path: Path, running: Server) -> None:
    status, _, message = tcpgoodput("explore", "none.yaml", cwd=tmp_path)
    assert status == 2
    assert message.startswith("none.yaml: no such file; explore reads a scenario")
    (tmp_path / "lossy.yaml").write_text(json.dumps(LOSSY), encoding="utf-8")
    busy = ("--port", str(running.server_port))
    status, _, message = tcpgoodput("explore", "lossy.yaml", *busy, cwd=tmp_path)
    assert status == 2
    assert message.startswith("--port: ")
    assert "--port 0" in message
    assert message.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"host": "mybox"}, "--host: 'mybox' must be an IP address"),
        ({"host": ""}, "--host: '' must be an IP address"),
        ({"behind": ["//"]}, "--behind: '//' is no host name"),
    ],
)
def test_a_wrong_address_is_bad_input(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        explore(**given)
