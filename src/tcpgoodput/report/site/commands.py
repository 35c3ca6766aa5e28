"""The commands, from what the command line says of itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from tcpgoodput.cli.app import app


def commands() -> str:
    """Return all commands, a section each."""
    group: Any = typer.main.get_command(app)
    return "\n".join(_command(name, known) for name, known in group.commands.items())


def _command(name: str, command: Any) -> str:
    arguments = [p for p in command.params if not p.opts[0].startswith("-")]
    usage = " ".join([f"tcpgoodput {name}", "[OPTIONS]", *(p.metavar for p in arguments)])
    rows = [(_called(p), _meaning(p)) for p in command.params]
    table = "| | |\n|---|---|\n" + "".join(f"| `{a}` | {b} |\n" for a, b in rows)
    return f"## {name}\n\n```sh\n{usage}\n```\n\n{command.help}\n\n{table}"


def _called(parameter: Any) -> str:
    if not parameter.opts[0].startswith("-"):
        return str(parameter.metavar)
    names = "`, `".join([*parameter.opts, *getattr(parameter, "secondary_opts", [])])
    is_flag = getattr(parameter, "is_flag", False)
    return names if is_flag or not parameter.metavar else f"{names} {parameter.metavar}"


def _meaning(parameter: Any) -> str:
    text = str(parameter.help).replace("|", r"\|")
    more = "; ".join(_further(parameter))
    return f"{text} ({more})" if more else text


def _further(parameter: Any) -> Iterator[str]:
    """Yield what is allowed, and what holds without the option."""
    low, high = (getattr(parameter, end, None) for end in ("min", "max"))
    if low is not None and high is not None:
        yield f"{low} to {high}"
    elif low is not None or high is not None:
        yield f"at least {low}" if low is not None else f"at most {high}"
    if parameter.default is not None and not getattr(parameter, "is_flag", False):
        yield f"default: `{parameter.default}`"
