"""Runs a notebook's cells in the process that asks for it: an engine for papermill.

papermill's own engine starts a kernel, a second Python process that costs a second, and that is
reached through network ports which another kernel may have taken meanwhile. All that a kernel does
for a job is to run IPython, and show what cells show; here this is done without one.
"""

from __future__ import annotations

import io
import platform
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from itertools import groupby
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.pylabtools import select_figure_formats
from nbformat import NotebookNode
from nbformat.v4 import new_output
from papermill.engines import Engine, NotebookExecutionManager, papermill_engines
from traitlets import Type
from traitlets.config import Config

ENGINE = "in-process"
"""The engine's name, for papermill."""


class _Values(DisplayHook):
    """Shows the value of a cell's last expression."""

    def write_output_prompt(self) -> None:
        """Write nothing: the output has its number in a field of its own."""

    def write_format_data(self, format_dict: dict[str, Any], md_dict: Any = None) -> None:
        """Add the value to the cell's outputs."""
        content = _content(format_dict, md_dict)
        self.shell.outputs.append(
            new_output("execute_result", execution_count=self.prompt_count, **content)
        )


class _Displays(DisplayPublisher):
    """Shows what a cell gives to `display`."""

    def publish(self, data: dict[str, Any], metadata: Any = None, **kwargs: Any) -> None:
        """Add data to the cell's outputs."""
        self.shell.outputs.append(new_output("display_data", **_content(data, metadata)))

    def clear_output(self, wait: bool = False) -> None:
        """Drop what the cell has shown so far."""
        self.shell.outputs.clear()


class _Shell(InteractiveShell):
    """IPython, with a list of what the present cell shows in place of a terminal."""

    displayhook_class = Type(_Values)
    display_pub_class = Type(_Displays)

    def __init__(self, **kwargs: Any) -> None:
        self.outputs: list[NotebookNode] = []
        super().__init__(**kwargs)
        self.enable_matplotlib("inline")
        # As a kernel shows figures; the line above sees to it for a process's first shell only.
        select_figure_formats(self, {"png"}, bbox_inches="tight")

    def enable_gui(self, gui: str | None = None) -> None:
        """Do nothing, where IPython would ask for an event loop: there are no windows."""

    def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
        self._told = evalue
        error = {"ename": etype.__name__, "evalue": str(evalue), "traceback": stb}
        self.outputs.append(new_output("error", **error))

    def run(self, cell: NotebookNode) -> BaseException | None:
        """Run a cell, put what it shows into it, and return the error that it ends with."""
        self.outputs = []
        self._told: BaseException | None = None  # also of what cannot be shown
        cell.execution_count = self.execution_count
        with redirect_stdout(_Stream("stdout", self)), redirect_stderr(_Stream("stderr", self)):
            result = self.run_cell(cell.source, store_history=True)
        cell.outputs = list(_joined(self.outputs))
        return self._told or result.error_before_exec or result.error_in_exec


class _Stream(io.TextIOBase):
    """Standard output or standard error of a cell."""

    encoding = "utf-8"

    def __init__(self, name: str, shell: _Shell) -> None:
        self._name = name
        self._shell = shell

    def write(self, text: str) -> int:
        """Add text to the cell's outputs; threads may do so at the same time."""
        if text:
            self._shell.outputs.append(new_output("stream", name=self._name, text=text))
        return len(text)


class InProcess(Engine):
    """Runs the cells one after the other, up to the first that fails."""

    @classmethod
    def execute_managed_notebook(
        cls, nb_man: NotebookExecutionManager, kernel_name: str, **kwargs: Any
    ) -> None:
        """Run the cells; an interrupt ends the job, of other errors papermill tells."""
        nb_man.nb.metadata.language_info = _language()
        with _fresh_shell() as shell:
            for index, cell in enumerate(nb_man.nb.cells):
                nb_man.cell_start(cell, index)
                runs = cell.cell_type == "code" and cell.source.strip()
                error = shell.run(cell) if runs else None
                if error is not None:
                    nb_man.cell_exception(cell, index)
                nb_man.cell_complete(cell, index)
                if isinstance(error, KeyboardInterrupt):
                    raise error
                if error is not None:
                    break


@contextmanager
def _fresh_shell() -> Iterator[_Shell]:
    """Return a shell that knows nothing yet, and leaves nothing in the user's home."""
    config = Config(HistoryManager={"enabled": False})
    # Tables as wide as in a kernel: pandas takes every other IPython for a terminal.
    wide = pd.option_context("display.max_columns", 20)
    with TemporaryDirectory() as folder, wide:
        shell = _Shell.instance(ipython_dir=folder, config=config)  # of which `display` knows
        try:
            yield shell
        finally:
            shell.restore_sys_module_state()  # `__main__` was the notebook
            _Shell.clear_instance()


def _content(data: dict[str, Any], metadata: Any) -> dict[str, Any]:
    """Return an output's content, with images as the text that a notebook holds."""
    encoded = {
        kind: b64encode(value).decode() if isinstance(value, bytes) else value
        for kind, value in data.items()
    }
    return {"data": encoded, "metadata": metadata or {}}


def _joined(outputs: Iterable[NotebookNode]) -> Iterator[NotebookNode]:
    """Return outputs, those of a stream that follow each other as one."""
    for (kind, name), group in groupby(outputs, lambda o: (o.output_type, o.get("name"))):
        if kind == "stream":
            yield new_output(kind, name=name, text="".join(output.text for output in group))
        else:
            yield from group


def _language() -> dict[str, Any]:
    """Return what a kernel says of its language, by which notebooks are highlighted."""
    return {
        "name": "python",
        "version": platform.python_version(),
        "mimetype": "text/x-python",
        "codemirror_mode": {"name": "ipython", "version": 3},
        "pygments_lexer": "ipython3",
        "nbconvert_exporter": "python",
        "file_extension": ".py",
    }


papermill_engines.register(ENGINE, InProcess)
