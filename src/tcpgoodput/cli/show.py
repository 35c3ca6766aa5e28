"""`tcpgoodput show`."""

from __future__ import annotations

from typing import Annotated

import typer

from tcpgoodput.cli.options import AsJson, Changes, ScenarioFile
from tcpgoodput.cli.output import print_json, width
from tcpgoodput.cli.reading import asked_scenario
from tcpgoodput.scenario.show import shown, stated

IsShort = Annotated[bool, typer.Option("--short", help="only the keys that are set, no defaults")]


def show(
    scenario_file: ScenarioFile,
    changes: Changes = None,
    is_short: IsShort = False,
    as_json: AsJson = False,
) -> None:
    """Print a scenario with all defaults, or only what is set, as YAML to be read again."""
    scenario = asked_scenario(scenario_file, changes).scenario
    if as_json:
        print_json(scenario.model_dump(mode="json", exclude_unset=is_short))
    elif is_short:
        typer.echo(stated(scenario), nl=False)
    else:
        typer.echo(shown(scenario, width()), nl=False)
