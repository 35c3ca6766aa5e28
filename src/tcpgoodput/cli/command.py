"""The form of a command's help: plain names of arguments, and examples at the end."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand

_BRACES = re.compile(r"\{(.*?)\}")
TYPE = re.compile(r" <[^<>`]+>(?=$|`)")
"""Python's type at the end of an argument's name in the library's help."""


class Command(TyperCommand):
    """A command whose `epilog` has example commands, one a line.

    The library writes `{FILE}` in the usage for an argument that is required, and Python's type
    after its name. Here the usage has `FILE`, and the type is in the words of the help.
    """

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage, without braces."""
        return [_BRACES.sub(r"\1", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments without their types, and the options."""
        sections: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                sections[parameter.param_type_name].append(record)
        for kind, records in sections.items():
            if records:
                with formatter.section(f"{kind.capitalize()}s"):
                    formatter.write_dl([(TYPE.sub("", name), text) for name, text in records])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples, each in a line of its own so that it can be copied."""
        del ctx
        if self.epilog:
            lines = self.epilog.splitlines()
            with formatter.section("Examples" if len(lines) > 1 else "Example"):
                for line in lines:
                    formatter.write(f"  {line}\n")
