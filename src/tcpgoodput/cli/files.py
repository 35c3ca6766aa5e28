"""The commands `new`, `show` and `check`: files of scenarios and of the configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template
from textwrap import indent
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
from tcpgoodput.cli.stated_link import Loss, Rate, RoundTrip, StatedLink
from tcpgoodput.configuration import ConfigurationError, Document, Problem, refused
from tcpgoodput.configuration.problems import collecting
from tcpgoodput.configuration.strict_yaml import as_yaml
from tcpgoodput.project.settings import (
    DEFAULT_PATH,
    ELSEWHERE,
    RESERVED_NAMES,
    Checked,
    check_document,
    kind_of,
)
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.content import shown, stated
from tcpgoodput.scenario.files import scenario_request, with_trace_paths
from tcpgoodput.scenario.template import template
from tcpgoodput.storage import write_text

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
    """Check configuration files, and print their problems: the first ones, or all with --json.

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
    scenario = with_trace_paths(read_request(scenario_file, changes).scenario, os.path.abspath)
    if as_json:
        print_json(scenario.model_dump(mode="json", exclude_unset=is_short))
    elif is_short:
        typer.echo(stated(scenario), nl=False)
    else:
        typer.echo(shown(scenario, width()), nl=False)


EXAMPLE_RATE, EXAMPLE_ROUND_TRIP = "20M", "60ms"
"""Rate and round trip of the link that is printed if the options do not state them."""


def new(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="FOLDER",
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
        typer.echo(template(with_trace_paths(found.scenario, os.path.abspath), width()), nl=False)
        return

    # Import this module only here: a scenario is printed without it in half the time.
    from tcpgoodput.api.load import root_around

    root = root_around(folder.resolve().parent)
    if root is None:
        message = "is in no project: make it in the folder of the project, which has the workflow"
        raise refused(folder, "", message)
    for file in write_starter(folder, found.scenario, root):
        typer.echo(file)
    typer.echo(f"Read {folder / 'README.md'}; then: tcpgoodput check {folder / 'config.yaml'}")


NAME = re.compile(r"[a-z][a-z0-9_]*")
"""Names of a folder: it is also the name of the study, and of the folder of its results."""

RUNS = ("draft", "test")
"""Names of the project's own runs: by the setting `precision: draft`, and of `config/test`."""

WIDEST = 90
"""Largest width of a line of the scenario in characters."""

TEMPLATES = Path(__file__).with_name("analysis")
"""Folder with templates of the files. `write_starter` fills in names such as `$name`."""


def write_starter(folder: Path, scenario: Scenario, root: Path) -> list[Path]:
    """Write a folder with a valid configuration of the workflow, and return its files.

    Raises:
        ConfigurationError: the folder's name is not allowed, or the folder has files already.

    """
    real = folder.resolve()  # relative paths from a symbolic link would begin elsewhere
    name = real.name
    message, another = "", f"use another, such as my_{name}"
    if not NAME.fullmatch(name):
        message = "is no name for an analysis: use a to z, 0 to 9 and _, such as my_wifi"
    elif name in RESERVED_NAMES:
        message = f"is a name that the workflow uses itself: {another}"
    elif name in RUNS:
        message = f"is the name of one of the project's runs: {another}"
    elif (root / DEFAULT_PATH.parent / "figures" / f"{name}.yaml").exists():
        message = f"is the name of one of the project's studies: {another}"
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        message = "exists already: choose another folder, or remove it first"
    if message:
        raise refused(folder, "", message)
    placed = with_trace_paths(scenario, lambda file: os.path.relpath(file, real / "scenarios"))
    content = placed.stated()
    del content["id"]
    link = indent(as_yaml(content, WIDEST), 4 * " ").strip()
    files = {file: file for file in ("README.md", "config.yaml", "comparison.yaml", "rules.smk")}
    files |= {f"{kind}/{name}.yaml": f"{kind}.yaml" for kind in ("figures", "claims")}
    shown = os.path.relpath(real, root)
    for file, source in files.items():
        config = os.path.relpath(root / DEFAULT_PATH.parent, (real / file).parent)
        values = {"name": name, "folder": shown, "link": link, "config": config}
        text = (TEMPLATES / source).read_text(encoding="utf-8")
        write_text(folder / file, Template(text).substitute(values))
    write_text(folder / "scenarios/link.yaml", template(placed))
    return [folder / file for file in (*files, "scenarios/link.yaml")]
