"""The workflow's own commands: compute figures' data, draw them for a look.

python -m tcpgoodput.studies CONFIG compute SOURCE FOLDER FIGURE…
python -m tcpgoodput.studies CONFIG draw SOURCE [FIGURE…]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tcpgoodput.configuration import refused
from tcpgoodput.project.settings import Configuration, load_configuration
from tcpgoodput.referees.points import recorded
from tcpgoodput.referees.records import Records
from tcpgoodput.studies.compute import Computed, figure_data
from tcpgoodput.studies.expressions import resolved
from tcpgoodput.studies.measured import read_measured
from tcpgoodput.studies.schema import Figure, TableFigure
from tcpgoodput.studies.store import write_computed
from tcpgoodput.workflow.jobs import job_parser, run_job


def compute(configuration: Configuration, source: str, figure: str, output: Path) -> None:
    """Compute one figure's data and write them to `output`; measurements stand in `measured/`."""
    path = output.parent.parent / "measured" / output.name
    study = configuration.sources[source]
    asked = study.figures.figures[figure]
    measured = {
        **(read_measured(path) if path.exists() else {}),
        **recorded(study, asked, Records.of(source)),
    }
    try:
        data = figure_data(study, asked, configuration.settings.conditions, measured)
        check_marks(asked, data)
    except (ValueError, TypeError) as error:  # options or marks that only their curve can judge
        file = configuration.path.parent / configuration.settings.figures / f"{source}.yaml"
        raise refused(file, f"figures.{figure}", str(error)) from error
    write_computed(data, output)


def check_marks(figure: Figure, data: Computed) -> None:
    """Evaluate the positions of all marks.

    Raises:
        ValueError: a mark names a landmark that the panel's curves do not have.
    """
    for name, panel in getattr(figure, "panels", {}).items():
        for position, mark in enumerate(getattr(panel, "marks", [])):
            try:
                resolved(mark.model_dump(exclude={"label"}), data.landmarks[name])
            except ValueError as error:
                raise ValueError(f"panel {name}, mark {position}: {error}") from None


def draw_now(configuration: Configuration, source: str, names: list[str], folder: Path) -> None:
    """Compute and draw figures into a folder, without the workflow."""
    from tcpgoodput.drawing import theme
    from tcpgoodput.drawing.figure import draw
    from tcpgoodput.studies.frames import labelled, read_data

    theme.apply(configuration.style)
    study = configuration.sources[source]
    for name, figure in study.figures.figures.items():
        if names and name not in names:
            continue
        path = folder / f"{name}.csv"
        measured = recorded(study, figure, Records.of(source))
        conditions = configuration.settings.conditions
        write_computed(figure_data(study, figure, conditions, measured), path)
        data = labelled(read_data(path), figure, configuration.style)
        if isinstance(figure, TableFigure):
            print(f"{name}:\n{data.rows.to_string()}")
        else:
            theme.save(draw(figure, data, configuration.style), folder / name)
            print(f"{name}: {folder / name}.png")


def work(arguments: argparse.Namespace) -> None:
    """Read the source, and compute or draw its figures."""
    source = arguments.source
    configuration = load_configuration(arguments.config, arguments.changes, only=source)
    if arguments.command == "compute":
        for figure in arguments.figures:
            compute(configuration, source, figure, arguments.folder / f"{figure}.csv")
    else:
        draw_now(configuration, source, arguments.figures, arguments.folder)


def main() -> int:
    """Run one of the commands; see `run_job`."""
    parser = job_parser("tcpgoodput.studies", config=Path)
    commands = parser.add_subparsers(dest="command", required=True)
    numbers = commands.add_parser("compute", help="compute figures' data into a folder")
    pictures = commands.add_parser("draw", help="compute and draw figures for a look")
    for command in (numbers, pictures):
        command.add_argument("source")
    numbers.add_argument("folder", type=Path)
    numbers.add_argument("figures", nargs="+")
    pictures.add_argument("figures", nargs="*")
    pictures.add_argument("--folder", type=Path, default=Path("look"), help="default: look/")
    return run_job(parser, work)


if __name__ == "__main__":
    sys.exit(main())
