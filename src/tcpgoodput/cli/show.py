"""`tcpgoodput show`."""

from __future__ import annotations

import typer

from tcpgoodput.cli.options import AsJson, Changes, ScenarioFile
from tcpgoodput.cli.output import print_json, width
from tcpgoodput.cli.reading import asked_scenario
from tcpgoodput.scenario.show import shown


def show(scenario_file: ScenarioFile, changes: Changes = None, as_json: AsJson = False) -> None:
    """Print a scenario with all defaults, as YAML to be read again."""
    scenario = asked_scenario(scenario_file, changes).scenario
    if as_json:
        print_json(scenario.model_dump(mode="json"))
    else:
        typer.echo(shown(scenario, width()), nl=False)
