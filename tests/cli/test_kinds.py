"""A command that gets a file for another command says what it takes, and which command reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import tcpgoodput
from tests.folders import ROOT

FILES = {
    "ping.txt": "PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n64 bytes: time=12.3 ms\n",
    "lte.csv": "time_s,Mbps\n0,10\n1,20\n2,30\n",
    "trace.up": "0\n12\n13\n",
}
SCENARIO = "config/scenarios/s02-independent-1e-2.yaml"
MANIFEST = "data/reference/manifest.json"
OF_LINKS = "if it is a measurement of a link: tcpgoodput link {}"
OF_SCENARIOS = "tcpgoodput predict, simulate, compare, inputs, show, explore and check read it"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    return tmp_path


@pytest.mark.parametrize(
    ("command", "given", "takes", "reader"),
    [
        ("validate", SCENARIO, "takes the seed", OF_SCENARIOS),
        ("verify", "ping.txt", "reads a manifest", OF_LINKS),
        ("verify", SCENARIO, "reads a manifest", OF_SCENARIOS),
        ("check", "ping.txt", "reads configuration", OF_LINKS),
        ("check", "lte.csv", "reads configuration", OF_LINKS),
        ("check", MANIFEST, "reads configuration", f"tcpgoodput verify {MANIFEST} reads it"),
        ("predict", "trace.up", "reads a scenario", OF_LINKS),
        ("predict", "config/figures/mathis.yaml", "reads a scenario", "tcpgoodput check config/"),
        ("simulate", "notebooks/mathis.ipynb", "reads a scenario", "Jupyter opens it"),
        ("compare", "config", "reads a scenario", "name a file"),
        ("show", "src/tcpgoodput/style.py", "reads a scenario", "--models src/tcpgoodput/style.py"),
        ("link", SCENARIO, "reads measurements of a link", OF_SCENARIOS),
        ("trace", SCENARIO, "reads a recorded link", OF_SCENARIOS),
        ("models", SCENARIO, "takes the name of a model", OF_SCENARIOS),
        ("models", "binary", "takes the name of a model", "{}: is a file"),
        ("validate", "binary", "takes the seed", "{}: is a file"),
    ],
)
def test_a_file_for_another_command(
    folder: Path, command: str, given: str, takes: str, reader: str
) -> None:
    word = str(folder / given) if (folder / given).exists() else given
    status, output, message = tcpgoodput(command, word)
    assert (status, output) == (2, "")
    assert message.count("\n") == 1
    assert message.startswith(f"{word}: is ")
    assert f"; {command} {takes}" in message
    assert reader.format(word) in message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["validate", "abc"], "must be a whole number"),
        (["simulate", SCENARIO, "--duration", "1h"], "--duration: must be a number"),
        (["simulate", SCENARIO, "--seed", "-1"], "--seed: must be greater than or equal to 0"),
        (["predict", ""], "the argument is empty; predict reads a scenario"),
        (["predict", "s02"], f"s02: no such file; did you mean {SCENARIO}?"),
        (["predict", "mathis"], "tcpgoodput predict SCENARIO.yaml --model mathis"),
        (["predict", "zzz.yaml"], "zzz.yaml: no such file; predict reads a scenario"),
        (["preidct", SCENARIO], "no such command; did you mean predict?"),
        (["mathis"], "mathis: is a model; tcpgoodput models mathis describes it"),
        ([SCENARIO], f"is a scenario, not a command; {OF_SCENARIOS}"),
        (["verify", "README.md"], "is not a manifest of version 1; a run writes results/"),
    ],
)
def test_other_words_are_answered_with_the_next_step(words: list[str], message: str) -> None:
    done = tcpgoodput(*words)
    assert done.returncode == 2
    assert message in done.stderr


def test_an_error_in_a_file_of_the_right_kind_is_reported_as_such(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text((ROOT / SCENARIO).read_text(encoding="utf-8").replace("rate_bps", "rate"))
    done = tcpgoodput("predict", str(own))
    assert done.returncode == 2
    assert "rate: unknown key; did you mean rate_bps" in done.stderr
