"""A link described by options: `predict --rate 20M --rtt 60ms --loss 1%`, and `new`."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tcpgoodput.configuration import parse
from tcpgoodput.scenario import scenario_from
from tests.cli.program import answer, tcpgoodput

LINK = ["--rate", "20M", "--rtt", "60ms", "--loss", "1%"]
FILE = "config/scenarios/s02-independent-1e-2.yaml"


def printed(*arguments: str, status: int = 0) -> str:
    done = tcpgoodput(*arguments)
    assert done.returncode == status
    return done.stderr if status else done.stdout


@pytest.mark.parametrize(
    "options",
    [
        LINK,
        ["--rate", "20 Mbit/s", "--rtt", "0.06", "--loss", "0.01"],
        ["--rate=2e7", "--rtt=60 ms", "--loss=1 %"],
        ["--rate", "20M", "--rtt", "60ms", "--set", "loss={process: bernoulli, probability: 0.01}"],
    ],
)
def test_the_units_of_a_link(options: list[str]) -> None:
    found = scenario_from(parse(printed("new", *options), "new.yaml"))
    assert found.path.rate_bps == 2e7
    assert (found.path.forward_delay_s, found.path.backward_delay_s) == (0.03, 0.03)
    stated = found.loss.model_dump(exclude_unset=True)
    assert stated == {"process": "bernoulli", "probability": 0.01}
    # A bandwidth-delay product of 2e7 bit/s and 60 ms is 100 packets of 12 000 bits.
    assert found.path.buffer_packets == 100
    sender = (found.tcp.variant, found.tcp.stack, found.tcp.header_bytes)
    assert sender == ("cubic", "linux-6.18", 52)


@pytest.mark.parametrize("command", ["predict", "simulate", "compare", "inputs"])
def test_the_link_is_that_of_the_printed_file(command: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(printed("new", *LINK), encoding="utf-8")
    form = ["--csv", *(["--replications", "1", "--duration", "9"] if command == "simulate" else [])]
    tables = [printed(command, *link, *form) for link in (LINK, [str(file)])]
    by_options, by_file = (column(table, "goodput_bps") for table in tables)
    assert any(by_options)
    assert by_options == by_file


def column(table: str, name: str) -> list[str]:
    head, *rows = table.splitlines()
    place = head.split(",").index(name)
    return [row.split(",")[place] for row in rows]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "SCENARIO.yaml: is missing: name a scenario file, or describe the link: --rate 20M"),
        (["--rate", "20M"], "--rtt: is missing: a link needs it, such as --rtt 60ms"),
        (["--loss", "1%"], "--rate: is missing: a link needs it, such as --rate 20M"),
        (["--rate", "20X", "--rtt", "60ms"], "--rate: is '20X'; allowed: 1000 to 1e13 bit/s, writ"),
        (
            ["--rate", "20", "--rtt", "60ms"],
            "--rate: is '20', which is 20 bit/s; did you mean 20M?",
        ),
        (["--rate", "20M", "--rtt", "60ms", "--loss", "5"], "--loss: is '5'; did you mean 5%?"),
        (["--rate", "20M", "--rtt", "60ms", "--loss", "100"], "--loss: is '100'; allowed"),
        (["--rate", "20M", "--rtt", "61s"], "--rtt: is '61s'; allowed: 1e-6 to 60 s, written such"),
        (["--rate", "20M", "--rtt", "60"], "--rtt: is '60', which is 60 s; did you mean 60ms?"),
        (
            ["--rate", "20M", "--rtt", "1", "--loss", "100%"],
            "--loss: is '100%'; allowed: 0 to 0.99",
        ),
        (
            [FILE, *LINK],
            f"--rate, --rtt, --loss: describes a link without a file; to change {FILE}: --set "
            "path.rate_bps=2e7 --set path.forward_delay_s=0.03 --set path.backward_delay_s=0.03 "
            "--set 'loss={process: bernoulli, probability: 0.01}'",
        ),
        ([FILE, "--rtt", "x"], "--rtt: is 'x'; allowed: 1e-6 to 60 s"),
        (["--rate", "20M", "--rtt", "60ms", "--set", "path.x=1"], "--set path.x=1: unknown key"),
    ],
)
def test_options_that_describe_no_link(arguments: list[str], message: str) -> None:
    found = printed("predict", *arguments, status=2)
    assert found.count("\n") == 1
    assert found.startswith(message)


@pytest.mark.parametrize("options", [[], ["--loss", "1%"], ["--rate", "3.3M"], LINK])
def test_each_part_of_a_new_scenario_is_valid_without_its_mark(
    options: list[str], tmp_path: Path
) -> None:
    text = printed("new", *options)
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    assert f"{file}: scenario my-link, no errors\n" in printed("check", str(file))
    parts = re.findall(r"^# (\w+: \{.*\})$", text, re.MULTILINE)
    names = {part.partition(":")[0] for part in parts}
    assert names == {"loss", "arq", "spikes", "handoffs", "capacity"} - set(yaml.safe_load(text))
    for part in parts:
        file.write_text(text.replace(f"# {part}", part), encoding="utf-8")
        assert "no errors" in printed("check", str(file))


def test_a_new_scenario_explains_each_key() -> None:
    text = printed("new")
    for key in ("mss_bytes: 1448 ", "rate_bps: 2e7 ", "buffer_packets: 100 "):
        (line,) = [line for line in text.splitlines() if line.strip().startswith(key)]
        assert " # " in line


@pytest.mark.parametrize("command", ["predict", "compare", "simulate"])
def test_what_rates_count_is_said_where_there_are_no_headers(command: str) -> None:
    # 40 header bytes beside a payload of 1448 are 40/1488 = 2.7 % of the link.
    bare = " ".join(printed(command, *LINK, "--set", "tcp.header_bytes=0").split())
    said = "Goodput counts payload; tcp.header_bytes: 40 (here 0) takes 2.7 % of the rate."
    assert said in bare
    assert "Goodput counts" not in printed(command, *LINK)


def test_json_of_a_link_names_it() -> None:
    records = answer("predict", *LINK, "--model", "cubic")
    assert [record["scenario"] for record in records] == ["my-link"]


def test_simulate_writes_the_window_of_a_connection(tmp_path: Path) -> None:
    file = tmp_path / "window.csv"
    sender = ["--set", "tcp.variant=bbr", "--duration", "9", "--replications", "1"]
    printed("simulate", *LINK, *sender, "--trace", str(file))
    rows = pd.read_csv(file)
    assert rows["time_s"].is_monotonic_increasing
    assert rows["mode"].iloc[0] == "startup"
    assert "probe bandwidth" in set(rows["mode"])
    # The estimate is at most the link's rate, 2e7 bit/s in packets of 1500 bytes.
    assert 0.5 * 2e7 / 12000 < rows["bandwidth_pps"].max() < 1.01 * 2e7 / 12000


def test_a_trace_replaces_nothing_but_a_trace(tmp_path: Path) -> None:
    mine, old = tmp_path / "mine.yaml", tmp_path / "old.csv"
    mine.write_text("id: mine\n", encoding="utf-8")
    words = ["simulate", *LINK, "--duration", "9", "--replications", "1", "--trace"]
    for file, said in (
        (mine, "is there and is no trace"),
        (tmp_path, "is a folder"),
        (tmp_path / "nowhere" / "x.csv", "there is no folder"),
    ):
        assert said in printed(*words, str(file), status=2)
    assert mine.read_text(encoding="utf-8") == "id: mine\n"
    assert not (tmp_path / "nowhere").exists()
    for _ in range(2):
        printed(*words, str(old))
    assert old.read_text(encoding="utf-8").startswith("time_s,")


def test_a_trace_of_the_first_events_says_so(tmp_path: Path) -> None:
    file = tmp_path / "window.csv"
    fast = ["--rate", "200M", "--rtt", "20ms", "--duration", "30", "--replications", "1"]
    status, _, message = tcpgoodput("simulate", *fast, "--trace", str(file))
    assert status == 0
    rows = pd.read_csv(file)
    assert len(rows) == 100_000
    assert f"the first ones, up to {rows['time_s'].iloc[-1]:.4g} s" in message


@pytest.mark.parametrize(("rtt", "said"), [("40", "did you mean 40ms?"), ("0", "allowed:")])
def test_trace_has_the_same_round_trips(tmp_path: Path, rtt: str, said: str) -> None:
    file = tmp_path / "link.up"
    file.write_text("".join(f"{k}\n" for k in range(0, 60_000, 7)), encoding="utf-8")
    assert said in printed("trace", str(file), "--rtt", rtt, status=2)
    texts = [printed("trace", str(file), "--rtt", text) for text in ("40ms", "0.04")]
    assert texts[0] == texts[1]
