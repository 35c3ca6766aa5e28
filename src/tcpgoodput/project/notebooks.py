"""Execute a notebook with papermill, for a rule of the workflow.

python -m tcpgoodput.project.notebooks NOTEBOOK OUTPUT PARAMETERS

PARAMETERS is a JSON object. The notebook runs in the current folder, in a new kernel of the current
Python. The kernel communicates through sockets in a folder, not through ports, which another kernel
could take. The output of the notebook's cells goes to standard error at once.
"""

from __future__ import annotations

import argparse
import errno
import json
import logging
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tcpgoodput.storage import write_text

INLINE = "module://matplotlib_inline.backend_inline"
"""Matplotlib backend of notebooks; it overrides the environment variable MPLBACKEND."""

FIRST_LINE = "import matplotlib; matplotlib.rcdefaults()"
"""First line that each kernel executes, so that a user's file `matplotlibrc` has no effect."""

STARTS_WITHIN_S = 600
"""Time in seconds within which a kernel must start. The default of papermill, a minute, is too
short if other programs load the machine. Chosen by hand."""

REFUSED = "ConfigurationError"
"""Name of the exception that signals bad input; its message is shown without a traceback."""


class TemporaryFolderFull(OSError):
    """The folder for temporary files is full, or the user's quota for it is."""


def run_notebook(notebook: Path, output: Path, parameters: Mapping[str, Any]) -> None:
    """Execute a notebook in the current folder; repeated execution gives the same bytes.

    The parameters replace the values in the cell that is tagged so. If a cell fails, later cells
    have no output.

    Raises:
        papermill.PapermillExecutionError: a cell failed.
        nbclient.exceptions.DeadKernelError: the kernel died.
        TemporaryFolderFull: the folder for temporary files is full.

    """
    import nbformat
    import papermill
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager

    with tempfile.TemporaryDirectory(dir=_folder_of_sockets()) as folder:
        connection = os.path.join(folder, "kernel.json")

        class OwnKernel(AsyncKernelManager):
            """Kernel of the current Python that communicates through sockets in a folder."""

            def __init__(self, **given: Any) -> None:
                specs = KernelSpecManager(kernel_dirs=[])
                own = {"transport": "ipc", "connection_file": connection}
                super().__init__(kernel_spec_manager=specs, **own, **given)

        os.environ |= {"IPYTHONDIR": folder, "MPLBACKEND": INLINE}
        os.environ.pop("PYTHONSTARTUP", None)
        executed = Path(folder, "executed.ipynb")
        try:
            papermill.execute_notebook(
                notebook,
                executed,
                dict(parameters),
                kernel_name="python3",
                language="python",
                kernel_manager_class=OwnKernel,
                extra_arguments=[f"--InteractiveShellApp.exec_lines={FIRST_LINE}"],
                start_timeout=STARTS_WITHIN_S,
                shutdown_kernel="immediate",  # an orderly shutdown would take a second
                record_timing=False,
                coalesce_streams=True,
                progress_bar=False,
                log_output=True,
            )
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            executed.unlink(missing_ok=True)  # it may be cut off
            raise TemporaryFolderFull(
                f"the folder for temporary files, {Path(folder).parent}, is full: make room there, "
                "or set TMPDIR to another folder; then run the same command again"
            ) from error
        finally:
            if executed.is_file():
                content = nbformat.read(executed, as_version=4)
                write_text(output, nbformat.writes(_without_circumstances(content)))


def _folder_of_sockets() -> str:
    """Return a folder for temporary files whose path is short enough for sockets.

    The path of a socket has at most 107 bytes on Linux, and 103 on other systems. The temporary
    folders of clusters may have longer paths.
    """
    end = os.path.join("x" * 12, "kernel.json-ipc-1")
    folders = [tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"]
    for folder in folders:
        if len(os.fsencode(os.path.join(folder, end))) <= 103 and os.access(folder, os.W_OK):
            return folder
    raise OSError(f"no short path for temporary files: {', '.join(folders)}; set TMPDIR to one")


def _without_circumstances(content: Any) -> Any:
    """Return a notebook without papermill's times and random identifiers, and Python's patch."""
    content.metadata.pop("papermill", None)
    content.metadata.get("language_info", {}).pop("version", None)
    for number, cell in enumerate(content.cells):
        cell.metadata.pop("papermill", None)
        if "injected-parameters" in cell.metadata.get("tags", ()):
            cell.id = "injected"
        elif "papermill-error-cell-tag" in cell.metadata.get("tags", ()):
            cell.id = f"error-{number}"
    return content


def main() -> int:
    """Run the job, and return its exit status.

    0: success; 1: a cell failed, reported in three lines, the kernel died or did not start, or the
    folder for temporary files is full; 2: invalid input.
    """
    from nbclient.exceptions import DeadKernelError
    from papermill import PapermillExecutionError

    parser = argparse.ArgumentParser(prog="python -m tcpgoodput.project.notebooks")
    parser.add_argument("notebook", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("parameters", type=json.loads)
    arguments = parser.parse_args()
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("papermill").setLevel(logging.INFO)
    try:
        run_notebook(arguments.notebook, arguments.output, arguments.parameters)
    except DeadKernelError:
        print(f"{arguments.notebook}: its kernel died, as when memory runs out.", file=sys.stderr)
        return 1
    except RuntimeError as error:  # papermill's, about a kernel that does not answer
        message = f"{error}, as on an overloaded machine; run the same command again"
        print(f"{arguments.notebook}: {message}", file=sys.stderr)
        return 1
    except TemporaryFolderFull as error:
        print(f"{arguments.notebook}: {error}", file=sys.stderr)
        return 1
    except PapermillExecutionError as error:
        if error.ename == REFUSED:
            print(f"{arguments.notebook} got invalid input:\n{error.evalue}", file=sys.stderr)
            return 2
        first = next((line for line in error.source.splitlines() if line.strip()), "")
        # Beside the logs of its run (runs/NAME/results/...), because other runs have it, too. The
        # path keeps the last two folders, because notebooks may have the same file name.
        parts = arguments.output.parts
        run = parts[:2] if parts[0] == "runs" else ()
        kept = Path(*run, "logs", "failed", *parts[-3:])
        kept.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.replace(kept)
        print(f"{arguments.notebook}, cell {error.exec_count}: {first}", file=sys.stderr)
        print(f"{error.ename}: {error.evalue.partition(chr(10))[0]}", file=sys.stderr)
        print(f"The notebook up to this cell is {kept}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
