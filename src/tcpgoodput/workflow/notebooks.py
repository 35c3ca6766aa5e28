"""Jobs of the workflow that run a notebook on what a JSON file describes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tcpgoodput.project.configuration import Configuration
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.storage.files import write_text
from tcpgoodput.workflow.jobs import job_parser, run_job


def notebook_job(
    program: str,
    parameter: str,
    file: str,
    describe: Callable[[Configuration, str], str],
    executed: str,
) -> int:
    """Describe one source in a JSON file and run a notebook on it, both into a folder.

    Args:
        program: the module that the command line names.
        parameter: of the notebook, which takes the file's path.
        file: its name in the folder.
        describe: returns what the file says of a source.
        executed: the executed notebook's name; `{source}` stands for the source's.

    Returns:
        The exit status; see `run_job`.

    """

    def work(arguments: argparse.Namespace) -> None:
        source = arguments.source
        configuration = load_configuration(arguments.config, arguments.changes, only=source)
        path = arguments.folder / file
        write_text(path, describe(configuration, source))
        output = arguments.folder / executed.format(source=source)
        run_notebook(arguments.notebook, output, parameter, path)

    parser = job_parser(program, config=Path, source=str, notebook=Path, folder=Path)
    return run_job(parser, work)


def run_notebook(notebook: Path, output: Path, parameter: str, file: Path) -> None:
    """Execute a notebook on the file that its one parameter names."""
    import papermill

    from tcpgoodput.workflow.cells import ENGINE

    papermill.execute_notebook(
        notebook,
        output,
        parameters={parameter: str(file)},
        engine_name=ENGINE,
        progress_bar=False,
    )
