"""A file that cannot be read gets a message that says what is allowed and what to do."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tcpgoodput.configuration.unreadable import cannot_be_read
from tests.cli.program import tcpgoodput
from tests.folders import ROOT

SCENARIO = """id: a
title: A link
tcp: {variant: sack, mss_bytes: 1448}
path: {rate_bps: 2e7, forward_delay_s: 0.03, backward_delay_s: 0.03}
"""
TO_BEGIN = "tcpgoodput new prints a scenario to begin with"
OF_SCENARIOS = ("check", "predict", "simulate", "compare", "inputs", "show", "explore")

FILES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", f"is empty; a YAML file has keys with values.*{TO_BEGIN}"),
    "a comment": (b"# later\n", f"is empty; a YAML file has keys with values.*{TO_BEGIN}"),
    "null": (b"null\n", f"has no keys, but must be a mapping of keys.*{TO_BEGIN}"),
    "a list": (b"- a\n- b\n", f"is a list, but must be a mapping of keys.*{TO_BEGIN}"),
    "a word": (b"hello\n", f"is a single value, but must be a mapping of keys.*{TO_BEGIN}"),
    "binary": (bytes(range(256)), "but binary data: name a YAML file"),
    "compressed": (b"\x1f\x8b\x08\x08\x15\xa2\x02" * 9, "but binary data: name a YAML file"),
    "latin-1": ("title: Über".encode("latin-1"), "save it as UTF-8 in the editor"),
    "utf-16": ("id: a\n".encode("utf-16"), "iconv -f UTF-16 -t UTF-8"),
    "a tab": (b"id: a\ntcp:\n\tvariant: sack\n", ":3: .*indent by spaces, not by a tab"),
    "a duplicate": (
        SCENARIO.encode() + b"title: b\n",
        ":5: title: duplicate key, the first one is in line 2; remove one",
    ),
    "two documents": (SCENARIO.encode() + b"---\na: 1\n", ":5: .*remove the line ---"),
    "an anchor": (SCENARIO.encode() + b"loss: &a {}\n", ":5: .*repeat the value"),
    "a tag": (b"id: !!str a\n", ":1: .*write the value alone"),
    "a key in brackets": (SCENARIO.encode() + b"[a]: 1\n", ":5: .*such as id, without brackets"),
    "an open bracket": (b"id: a\ntcp: [1\n", ":2: .*check the quotes, brackets and colons"),
}


def message_of(*arguments: str, cwd: Path = ROOT) -> str:
    done = tcpgoodput(*arguments, cwd=cwd)
    assert done.returncode == 2
    return done.stderr.strip()


@pytest.mark.parametrize("command", OF_SCENARIOS)
@pytest.mark.parametrize(("content", "expected"), FILES.values(), ids=FILES)
def test_a_file_that_is_no_scenario(
    command: str, content: bytes, expected: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_bytes(content)
    message = message_of(command, str(file))
    assert message.startswith(f"{file}:")
    assert "\n" not in message
    assert re.search(expected, message)


@pytest.mark.parametrize("command", ["link", "trace"])
def test_an_empty_measurement(command: str, tmp_path: Path) -> None:
    file = tmp_path / "ping.txt"
    file.write_bytes(b"")
    message = message_of(command, str(file))
    assert message.startswith(f"{file}: is empty: repeat the measurement, and save its output")
    assert f"{command} reads " in message


@pytest.mark.parametrize("command", ["check", "link", "trace"])
def test_a_file_that_does_not_exist(command: str, tmp_path: Path) -> None:
    (tmp_path / "iperf3.json").touch()
    assert message_of(command, str(tmp_path / "iperf.json")).endswith(
        "no such file; did you mean iperf3.json?"
    )
    assert message_of(command, str(tmp_path / "no" / "a.yaml")).endswith(
        f"no such file: there is no folder {tmp_path / 'no'} here; check the path"
    )
    assert message_of(command, str(tmp_path / "zzzzz")).endswith(
        f"no such file in {tmp_path}; check the name"
    )


@pytest.mark.parametrize("command", ["check", "link", "trace", "predict"])
def test_a_link_to_nowhere(command: str, tmp_path: Path) -> None:
    link = tmp_path / "mine.yaml"
    link.symlink_to("moved/mine.yaml")
    end = f"{link}: no such file; it is a link to moved/mine.yaml: remove or correct it"
    assert message_of(command, str(link)).endswith(end)


@pytest.mark.parametrize("content", ["", "null", '{"a": 1}', "a text"])
def test_a_file_that_is_no_manifest(content: str, tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_text(content, encoding="utf-8")
    message = message_of("verify", str(file))
    assert "is not a manifest of version 1" in message
    assert message.endswith("; a run writes results/manifest.json")


def test_a_file_that_may_not_be_read() -> None:
    # Root, who runs the tests in containers, may read all files.
    error = PermissionError(13, "Permission denied")
    assert cannot_be_read("a.yaml", error) == (
        "cannot be read: Permission denied; allow it by: chmod u+r a.yaml"
    )


@pytest.mark.parametrize("kind", ["claims", "printed"])
def test_claims_in_a_wrong_folder(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "mathis.yaml"
    file.write_bytes((ROOT / "config" / kind / "mathis.yaml").read_bytes())
    message = message_of("check", str(file))
    assert message.startswith(f"{file}: source: needs the figures of its study")
    assert "put this file into the project's config/claims/ or config/printed/" in message


def test_files_of_another_kind_than_their_folder(tmp_path: Path) -> None:
    config = tmp_path / "config"
    shutil.copytree(ROOT / "config", config)
    shutil.copy(config / "claims" / "handoffs.yaml", config / "figures" / "handoffs.yaml")
    (config / "census" / "mine.yaml").write_text(SCENARIO, encoding="utf-8")
    assert message_of("check", cwd=tmp_path).splitlines() == [
        "config/census/mine.yaml: is a file of the kind scenario, not census; move it to "
        "config/scenarios/",
        "config/figures/handoffs.yaml: is a file of the kind claims, not figures; move it to "
        "config/claims/",
    ]
    assert message_of("check", "config/figures/handoffs.yaml", cwd=tmp_path) == (
        "config/figures/handoffs.yaml: is a file of the kind claims, not figures; move it to "
        "config/claims/"
    )


@pytest.mark.parametrize("command", ["link", "trace", "show"])
def test_a_missing_argument(command: str) -> None:
    message = message_of(command)
    assert message.startswith("tcpgoodput: Missing argument ")
    assert f"; {command} reads " in message
