"""The commands `tcpgoodput check` and `show`: check configuration files, and print a scenario."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tcpgoodput.cli.output import (
    ITS_NAME,
    AsJson,
    Changes,
    ScenarioFile,
    add_models,
    print_json,
    read_document,
    read_request,
    warn,
    width,
)
from tcpgoodput.configuration import ConfigurationError, Document, Problem, refused
from tcpgoodput.configuration.problems import collecting
from tcpgoodput.project.settings import DEFAULT_PATH, ELSEWHERE, Checked, check_document, kind_of
from tcpgoodput.scenario.content import shown, stated
from tcpgoodput.scenario.files import scenario_request

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="FILE",
        help="scenarios, settings, or files of figures, claims, printed numbers, comparison, "
        "census, inputs, style or the report's numbers; - reads a scenario from standard input; "
        f"default: {DEFAULT_PATH} and all that it names",
    ),
]


def check(files: Files = None, changes: Changes = None, as_json: AsJson = False) -> None:
    """Check configuration files, and print all problems.

    Each problem has its file, line, key and allowed values. The command writes no file.
    """
    checked: dict[str, Checked] = {}
    problems: list[Problem] = []
    if not files and not DEFAULT_PATH.is_file():
        raise refused(DEFAULT_PATH, "", f"{ELSEWHERE}, or name the files to check")
    for file in files or [DEFAULT_PATH]:
        with collecting(problems):
            document = read_document(file)
            checked[document.file] = _checked(document, changes)
    suspects = [s for one in checked.values() for s in one.suspects]
    if as_json:
        print_json(
            {
                "found": [{"file": file, "found": one.found} for file, one in checked.items()],
                "problems": [p.record() for p in ConfigurationError(problems).problems],
                "warnings": [s.record() for s in suspects],
            }
        )
        if problems:
            raise typer.Exit(2)
        return
    for file, one in checked.items():
        suspicious = len(one.suspects)
        warnings = f", {suspicious} warning{'s' * (suspicious > 1)}" if suspicious else ""
        typer.echo(f"{file}: {one.found}{warnings}")
    warn(suspects)
    if problems:
        raise ConfigurationError(problems)


def _checked(document: Document, changes: Sequence[str] | None) -> Checked:
    is_scenario = kind_of(document) == "scenario"
    if document.file == ITS_NAME and not is_scenario:
        raise refused(ITS_NAME, "", "only a scenario is read from here")
    if changes and not is_scenario:
        raise refused("--set", "", f"is for scenarios, not {document.file}; leave it out")
    if not is_scenario:
        add_models(None)
        return check_document(document)
    own = scenario_request(document, changes)
    return Checked(f"scenario {own.scenario.id}, no errors", own.suspects)


IsShort = Annotated[
    bool, typer.Option("--short", help="print only the keys that are set, no defaults")
]


def show(
    scenario_file: ScenarioFile,
    changes: Changes = None,
    is_short: IsShort = False,
    as_json: AsJson = False,
) -> None:
    """Print a scenario as valid YAML."""
    scenario = read_request(scenario_file, changes).scenario
    if as_json:
        print_json(scenario.model_dump(mode="json", exclude_unset=is_short))
    elif is_short:
        typer.echo(stated(scenario), nl=False)
    else:
        typer.echo(shown(scenario, width()), nl=False)
