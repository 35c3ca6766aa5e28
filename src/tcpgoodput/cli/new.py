"""The command `tcpgoodput new`: a commented scenario, or a folder for an analysis of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tcpgoodput.cli.output import Changes, warn, width
from tcpgoodput.cli.stated_link import Loss, Rate, RoundTrip, StatedLink
from tcpgoodput.configuration import refused
from tcpgoodput.scenario.files import scenario_request
from tcpgoodput.scenario.template import template

EXAMPLE_RATE, EXAMPLE_ROUND_TRIP = "20M", "60ms"
"""Rate and round trip of the link that is printed if the options do not state them."""


def new(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FOLDER]",
            help="folder to make for an analysis: settings, this scenario, a figure, a claim, and "
            "a README that says how to run it",
        ),
    ] = None,
    rate: Rate = None,
    rtt: RoundTrip = None,
    loss: Loss = None,
    changes: Changes = None,
) -> None:
    """Print a commented scenario to begin with, or make a folder for an analysis of your own.

    The sender is CUBIC of Linux, and the buffer holds a bandwidth-delay product. Parts that a link
    may have besides, such as hand-offs, are commented out.
    """
    link = StatedLink(rate or EXAMPLE_RATE, rtt or EXAMPLE_ROUND_TRIP, loss)
    found = scenario_request(link.document(), changes)
    warn(found.suspects)
    if folder is None:
        typer.echo(template(found.scenario, width()), nl=False)
        return

    # Import these modules only here: a scenario is printed without them in half the time.
    from tcpgoodput.api.load import root_around
    from tcpgoodput.project.starter import write_starter

    root = root_around(folder.resolve().parent)
    if root is None:
        message = "is in no project: make it in the folder of the project, which has the workflow"
        raise refused(folder, "", message)
    for file in write_starter(folder, found.scenario, root):
        typer.echo(file)
    typer.echo(f"Read {folder / 'README.md'}; then: tcpgoodput check {folder / 'config.yaml'}")
