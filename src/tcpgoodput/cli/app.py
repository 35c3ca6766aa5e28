"""The application: its commands, the form of their help, and the exit status for each error."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from tcpgoodput.cli import INTERRUPTED
from tcpgoodput.cli.explore import explore
from tcpgoodput.cli.files import check, new, show
from tcpgoodput.cli.inputs import inputs
from tcpgoodput.cli.link import link
from tcpgoodput.cli.models import models
from tcpgoodput.cli.output import width
from tcpgoodput.cli.predict import compare, predict
from tcpgoodput.cli.simulate import simulate
from tcpgoodput.cli.trace import trace
from tcpgoodput.cli.validate import validate
from tcpgoodput.cli.verify import verify
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.configuration.terminal import paint_places
from tcpgoodput.models.outside import LOG

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


BAD_INPUT = 2

WIDEST_HELP = 100
"""Largest width of the help text in characters, even if the terminal is wider; chosen by hand."""

app = typer.Typer(
    help="TCP over wireless links, recomputed: five studies' models on one scenario vocabulary.",
    epilog="To begin: `tcpgoodput predict --rate 20M --rtt 60ms --loss 1%`, or "
    "`tcpgoodput new > mine.yaml`. Completion of commands, options and names at the TAB key: "
    "`--show-completion` prints what your shell needs for it, `--install-completion` writes it to "
    "where the shell looks.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "terminal_width": min(width(), WIDEST_HELP),
    },
)
EXAMPLES: dict[Callable[..., Any], list[str]] = {
    models: ["tcpgoodput models", "tcpgoodput models handoffs"],
    new: [
        "tcpgoodput new --rate 20M --rtt 60ms --loss 1% > mine.yaml",
        "tcpgoodput new my_wifi --rate 50M --rtt 20ms",
    ],
    predict: [
        "tcpgoodput predict --rate 20M --rtt 60ms --loss 1%",
        "tcpgoodput predict mine.yaml --set tcp.variant=newreno --all",
    ],
    simulate: [
        "tcpgoodput simulate --rate 20M --rtt 60ms --loss 1%",
        "tcpgoodput simulate mine.yaml --replications 5 --duration 60 --json",
    ],
    compare: ["tcpgoodput compare mine.yaml", "tcpgoodput compare mine.yaml --model cubic --csv"],
    inputs: ["tcpgoodput inputs mine.yaml"],
    explore: ["tcpgoodput explore mine.yaml", "tcpgoodput explore --no-browser --port 8000"],
    show: ["tcpgoodput show mine.yaml", "tcpgoodput show mine.yaml --short"],
    link: ["tcpgoodput link ping.txt iperf3.json --output link.yaml"],
    trace: [
        "tcpgoodput trace drive.csv",
        "tcpgoodput trace drive.csv --as capacity --output capacity.csv",
    ],
    check: ["tcpgoodput check", "tcpgoodput check mine.yaml"],
    validate: ["tcpgoodput validate 7 --points 64 --precision draft"],
    verify: ["tcpgoodput verify", "tcpgoodput verify --bytes"],
}
"""All commands, in the order of the help, with examples."""

for command, examples in EXAMPLES.items():
    app.command(cls=Command, epilog="\n".join(examples))(command)


def _print_version(is_set: bool) -> None:
    if is_set:
        typer.echo(f"tcpgoodput {version('tcpgoodput')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _without_command(
    context: typer.Context,
    is_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    del is_version
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(BAD_INPUT)


def _in_plain_words(message: str) -> str:
    """Return a message of Typer about a value of a wrong type, without the names of its parts."""
    for kind, words in (("integer", "a whole number"), ("number", "a number")):
        message = re.sub(rf"[Ii]nput should be a valid {kind}, .*", f"must be {words}", message)
    if message.startswith("Got unexpected extra argument"):
        message = f"{message.rstrip('.')}: one file at a time; --help shows the arguments"
    message = re.sub(r"^Invalid value for '?([^':]+)'?:", r"\1:", message)
    return message.replace("Input should", "must")


def run(arguments: Sequence[str]) -> int:
    """Run the command line with some arguments, and return its exit status.

    Raises:
        KeyboardInterrupt: the user interrupted the command.

    """
    # Print on standard error which files with models a command runs, before it runs them.
    handler = logging.StreamHandler()
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    try:
        status = app(list(arguments), prog_name="tcpgoodput", standalone_mode=False) or 0
    except SystemExit as end:  # completion in the shell ends in this way
        status = end.code if isinstance(end.code, int) else 0
    except (ConfigurationError, typer.TyperException) as error:
        # Import this module only here: it reads recordings, which a valid command may not.
        from tcpgoodput.cli.kinds import TAKES, wrong_kind

        message = str(error)
        if isinstance(error, typer.TyperException):
            message = f"tcpgoodput: {_in_plain_words(error.format_message())}"
        if message.startswith("tcpgoodput: Missing argument"):
            message = f"{message.rstrip('.')}; {arguments[0]} {TAKES[arguments[0]]}"
        print(paint_places(wrong_kind(arguments) or message), file=sys.stderr)
        status = BAD_INPUT
    finally:
        LOG.removeHandler(handler)
    if status == INTERRUPTED:  # the library typer turns an interrupt into this status
        raise KeyboardInterrupt
    return status
