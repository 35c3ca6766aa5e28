"""Runs a notebook's cells in the process that asks for it: an engine for papermill.

papermill's own engine starts a kernel, a second Python process that costs a second, and that is
reached through network ports which another kernel may have taken meanwhile. ipykernel has a kernel
that lives in the same process, here without its debugger; what it tells is written into the
notebook.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from ipykernel.inprocess import BlockingInProcessKernelClient, InProcessKernelManager
from IPython.core.pylabtools import select_figure_formats
from nbformat import NotebookNode
from nbformat.v4 import output_from_msg
from papermill.engines import Engine, NotebookExecutionManager, papermill_engines
from traitlets.config import Config

from tcpgoodput.numerics.imports import absent

ENGINE = "in-process"
"""The engine's name, for papermill."""

OUTPUTS = {"stream", "display_data", "execute_result", "error"}
"""What a kernel tells that belongs into a notebook."""


class InProcess(Engine):
    """Runs the cells one after the other, up to the first that fails."""

    @classmethod
    def execute_managed_notebook(
        cls, nb_man: NotebookExecutionManager, kernel_name: str, **kwargs: Any
    ) -> None:
        """Run the cells; papermill tells of the error that one of them ends with."""
        with _kernel() as client:
            nb_man.nb.metadata.language_info = client.kernel.language_info
            for index, cell in enumerate(nb_man.nb.cells):
                nb_man.cell_start(cell, index)
                failed = cell.cell_type == "code" and not _run(client, cell)
                if failed:
                    nb_man.cell_exception(cell, index)
                nb_man.cell_complete(cell, index)
                if failed:
                    break


@contextmanager
def _kernel() -> Iterator[BlockingInProcessKernelClient]:
    """Return a fresh kernel's client; the kernel leaves nothing in the user's home."""
    with TemporaryDirectory() as folder, patch.dict(os.environ, IPYTHONDIR=folder):
        manager = InProcessKernelManager(config=Config(HistoryManager={"enabled": False}))
        with absent("debugpy"):
            manager.start_kernel()
        shell = manager.kernel.shell
        shell.enable_matplotlib("inline")
        # As a kernel shows figures; the line above sees to it for a process's first shell only.
        select_figure_formats(shell, {"png"}, bbox_inches="tight")
        client = manager.client()
        client.start_channels()
        try:
            yield client
        finally:
            client.stop_channels()
            manager.shutdown_kernel()
            shell.restore_sys_module_state()  # `__main__` was the notebook
            type(shell).clear_instance()


def _run(client: BlockingInProcessKernelClient, cell: NotebookNode) -> bool:
    """Run a cell and put what it shows into it; return whether it ended well."""
    cell.outputs = []
    request = client.execute(cell.source)
    reply = client.get_shell_msg()["content"]
    cell.execution_count = reply["execution_count"]
    while True:
        message = client.get_iopub_msg()
        kind, content = message["msg_type"], message["content"]
        asked_here = message["parent_header"].get("msg_id") == request
        if asked_here and kind == "status" and content["execution_state"] == "idle":
            return bool(reply["status"] == "ok")
        if kind == "clear_output":
            cell.outputs = []
        if kind in OUTPUTS:
            _add(cell.outputs, output_from_msg(message))


def _add(outputs: list[NotebookNode], output: NotebookNode) -> None:
    """Add an output, or the text of a stream to what it continues."""
    last = outputs[-1] if outputs else None
    if last and last.output_type == output.output_type == "stream" and last.name == output.name:
        last.text += output.text
    else:
        outputs.append(output)


papermill_engines.register(ENGINE, InProcess)
