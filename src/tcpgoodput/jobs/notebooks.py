"""Runs a notebook in a kernel of its own, for the workflow's jobs.

The kernel is a real one: what a notebook does cannot reach the job. It costs 0.4 CPU-seconds more
than cells in the job's own process. It is reached through sockets in a folder, not through ports
that another kernel may take meanwhile; this Python runs it, whatever kernels a user has installed;
and what it writes for itself goes into the same folder, not into the user's home.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tcpgoodput.storage.files import write_text

INLINE = "module://matplotlib_inline.backend_inline"
"""Where pictures go, whatever backend the environment asks for."""


def run_notebook(notebook: Path, output: Path, parameters: Mapping[str, Any]) -> None:
    """Execute a notebook in the folder of its output, and write it there with what it shows.

    Args:
        notebook: has a cell tagged `parameters`.
        output: where the executed notebook goes, up to the cell that failed if one did.
        parameters: what is set after that cell.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell failed; the message has its traceback.
        nbclient.exceptions.DeadKernelError: the kernel died.

    """
    import nbformat
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from papermill.iorw import load_notebook_node
    from papermill.parameterize import parameterize_notebook

    content = parameterize_notebook(load_notebook_node(str(notebook)), dict(parameters))
    for cell in content.cells:
        if "injected-parameters" in cell.metadata.get("tags", ()):
            cell.id = "injected"  # papermill's is random
    output.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        manager = AsyncKernelManager(
            transport="ipc",
            connection_file=f"{folder}/kernel.json",
            kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),  # none but this Python's own
        )
        client = NotebookClient(
            content,
            km=manager,
            shutdown_kernel="immediate",  # nothing is left to tidy; asked, it takes a second
            record_timing=False,  # a notebook run twice is the same
            coalesce_streams=True,
        )
        environment = {**os.environ, "IPYTHONDIR": folder, "MPLBACKEND": INLINE}
        try:
            with client.setup_kernel(cleanup_kc=True, cwd=str(output.parent), env=environment):
                for index, cell in enumerate(content.cells):
                    client.execute_cell(cell, index)
        finally:
            write_text(output, nbformat.writes(content))
