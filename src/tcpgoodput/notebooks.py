"""Jobs of the workflow that run a notebook on what a JSON file describes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.files import write_text
from tcpgoodput.settings import Configuration, load_configuration


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
        The exit status; 2 means that the configuration was refused.

    """
    parser = argparse.ArgumentParser(prog=f"python -m {program}")
    parser.add_argument("--changes", type=json.loads, default={}, help="settings, as JSON")
    parser.add_argument("config", type=Path)
    parser.add_argument("source")
    parser.add_argument("notebook", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    try:
        configuration = load_configuration(
            arguments.config, arguments.changes, only=arguments.source
        )
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return 2
    path = arguments.folder / file
    write_text(path, describe(configuration, arguments.source))
    output = arguments.folder / executed.format(source=arguments.source)
    run_notebook(arguments.notebook, output, parameter, path)
    return 0


def run_notebook(notebook: Path, output: Path, parameter: str, file: Path) -> None:
    """Execute a notebook on the file that its one parameter names."""
    import papermill

    papermill.execute_notebook(
        notebook, output, parameters={parameter: str(file)}, progress_bar=False
    )
