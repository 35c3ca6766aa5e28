"""The command `tcpgoodput new`: prints a commented scenario to begin with."""

from __future__ import annotations

import typer

from tcpgoodput.cli.output import Changes, warn, width
from tcpgoodput.cli.stated_link import Loss, Rate, RoundTrip, StatedLink
from tcpgoodput.scenario.files import scenario_request
from tcpgoodput.scenario.template import template

EXAMPLE_RATE, EXAMPLE_ROUND_TRIP = "20M", "60ms"
"""Rate and round trip of the link that is printed if the options do not state them."""


def new(
    rate: Rate = None, rtt: RoundTrip = None, loss: Loss = None, changes: Changes = None
) -> None:
    """Print a commented scenario to begin with.

    The sender is CUBIC of Linux, and the buffer holds a bandwidth-delay product. Parts that a link
    may have besides, such as hand-offs, are commented out.
    """
    link = StatedLink(rate or EXAMPLE_RATE, rtt or EXAMPLE_ROUND_TRIP, loss)
    found = scenario_request(link.document(), changes)
    warn(found.suspects)
    typer.echo(template(found.scenario, width()), nl=False)
