"""Bold, dim and colour: on a terminal or with FORCE_COLOR; not with NO_COLOR, nor in a pipe."""

from __future__ import annotations

import os
import pty
import subprocess
from contextvars import copy_context
from pathlib import Path

import pytest

from tcpgoodput.configuration.terminal import BOLD, enable_painting, paint, rendered
from tests.cli.program import PROGRAM
from tests.folders import ROOT

PREDICT = ["predict", "--rate", "20M", "--rtt", "60ms", "--loss", "1%", "--all"]
"""A link with one model in domain, cubic; the others are out of domain or undefined."""

ESCAPE = "\x1b["


def environment(**changes: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return {**kept, "TERM": "xterm", **changes}


def in_a_pipe(*arguments: str, **changes: str) -> tuple[str, str]:
    done = subprocess.run(
        [*PROGRAM, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(**changes),
    )
    return done.stdout, done.stderr


def on_a_terminal(*arguments: str, **changes: str) -> str:
    """Return what a command writes to a terminal, on standard output and standard error."""
    ours, its = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, *arguments], cwd=ROOT, stdout=its, stderr=its, env=environment(**changes)
    ):
        os.close(its)
        found = b""
        try:
            while block := os.read(ours, 4096):
                found += block
        except OSError:
            pass  # Linux reports the end of the program's side as an error
        os.close(ours)
    return found.decode().replace("\r\n", "\n")


def test_the_recommended_row_is_bold_and_those_out_of_domain_are_dim() -> None:
    for text in (on_a_terminal(*PREDICT), in_a_pipe(*PREDICT, FORCE_COLOR="1")[0]):
        lines = text.splitlines()
        bold = [line for line in lines if line.startswith(f"{ESCAPE}1m")]
        first = [line.removeprefix(f"{ESCAPE}1m").split()[0] for line in bold]
        assert first == ["cubic", "cubic", "To"]
        dim = [line for line in lines if line.startswith(f"{ESCAPE}2m")]
        assert any("out-of-domain: " in line for line in dim)
        assert any("  mathis " in line for line in dim)
        assert any("undefined: " in line for line in dim)
        assert all(line.endswith(f"{ESCAPE}0m") for line in [*bold, *dim])
        assert not [line for line in lines if "mathis " in line and line not in dim]


@pytest.mark.parametrize("changes", [{}, {"NO_COLOR": "1"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_a_pipe_and_no_color_have_no_styles(changes: dict[str, str]) -> None:
    output, messages = in_a_pipe(*PREDICT, **changes)
    assert ESCAPE not in output + messages
    assert "To use one model, take cubic" in output
    if "NO_COLOR" in changes:
        assert on_a_terminal(*PREDICT, **changes) == output


def test_the_place_of_a_message_is_coloured(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("id: a\ntitle: b\nid: c\n", encoding="utf-8")
    coloured = in_a_pipe("check", str(file), FORCE_COLOR="1")[1].splitlines()
    plain = in_a_pipe("check", str(file))[1].splitlines()
    assert len(plain) == 3  # the duplicate, and the missing tcp and path
    for line, same in zip(coloured, plain, strict=True):
        place = same.partition(": ")[0]
        assert line == f"{ESCAPE}36m{place}{ESCAPE}0m{same.removeprefix(place)}"


def test_tables_for_programs_have_no_styles() -> None:
    for form in ("--json", "--csv"):
        assert ESCAPE not in in_a_pipe(*PREDICT, form, FORCE_COLOR="1")[0]


def test_text_of_a_file_gets_no_style() -> None:
    def painted() -> str:
        enable_painting()
        return paint("a \x1b[1mtitle", BOLD)

    text = copy_context().run(painted)
    assert rendered(text, coloured=True) == f"{ESCAPE}1ma \\u001b[1mtitle{ESCAPE}0m"
    assert rendered(text, coloured=False) == "a \\u001b[1mtitle"
