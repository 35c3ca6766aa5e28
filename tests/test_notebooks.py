"""Notebooks are run in a Jupyter kernel of their own, in the current folder."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import tempfile
from base64 import b64decode
from pathlib import Path

import nbformat
import pytest
from jupyter_client.asynchronous.client import AsyncKernelClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from papermill import PapermillExecutionError

from tcpgoodput.project import notebooks
from tcpgoodput.project.notebooks import TemporaryFolderFull, run_notebook
from tcpgoodput.storage import write_text

PNG = b"\x89PNG\r\n"
KERNEL = {"name": "python3", "language": "python", "display_name": "Python 3"}


class Notebook:
    """A notebook with the given cells of code, and a parameter `file`."""

    def __init__(self, folder: Path, *sources: str) -> None:
        parameters = new_code_cell("file = ''", metadata={"tags": ["parameters"]})
        cells = [new_markdown_cell("# Title"), parameters, *map(new_code_cell, sources)]
        self.path = folder / "written.ipynb"
        self.output = folder / "results" / "executed.ipynb"
        nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": KERNEL}), self.path)

    def run(self) -> list[NotebookNode]:
        """Run the notebook, and return the executed cells of `sources`."""
        run_notebook(self.path, self.output, {"file": "described.json"})
        return self.executed()

    def executed(self) -> list[NotebookNode]:
        cells = nbformat.read(self.output, as_version=4).cells
        own = [cell for cell in cells if cell.cell_type == "code"]
        return own[2:]  # the first two have the parameters' defaults and values


def text(cell: NotebookNode) -> str:
    """Return the text that a cell printed to standard output and standard error."""
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


def test_a_cell_sees_its_parameter_and_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (cell,) = Notebook(tmp_path, "import os\nprint(file, os.getcwd())").run()
    assert text(cell) == f"described.json {tmp_path}\n"


def test_an_executed_notebook_can_be_run_again(tmp_path: Path) -> None:
    notebook = Notebook(tmp_path, "print(file)")
    notebook.run()
    again = tmp_path / "results" / "again.ipynb"
    run_notebook(notebook.output, again, {"file": "other.json"})
    cells = nbformat.read(again, as_version=4).cells
    assert len(cells) == len(nbformat.read(notebook.output, as_version=4).cells)
    assert text(cells[-1]) == "other.json\n"


@pytest.mark.parametrize("backend", ["", "agg"])
def test_figures_are_shown_as_images(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    monkeypatch.setenv("MPLBACKEND", backend)
    (cell,) = Notebook(tmp_path, "import matplotlib.pyplot as plt\nplt.plot([1, 2]);").run()
    (output,) = cell.outputs
    assert b64decode(output.data["image/png"]).startswith(PNG)


def test_notebooks_run_with_this_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "data" / "kernels" / "python3"
    own.mkdir(parents=True)
    kernel = '{"argv": ["/bin/false", "{connection_file}"], "display_name": "x", "language": "x"}'
    (own / "kernel.json").write_text(kernel, encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "data"))
    (cell,) = Notebook(tmp_path, "import sys\nprint(sys.executable)").run()
    assert text(cell) == f"{sys.executable}\n"


def test_a_kernel_opens_no_port(tmp_path: Path) -> None:
    source = (
        "from ipykernel.kernelapp import IPKernelApp\n"
        "app = IPKernelApp.instance()\nprint(app.transport, app.shell_socket.LAST_ENDPOINT)"
    )
    (cell,) = Notebook(tmp_path, source).run()
    transport, endpoint = text(cell).split()
    assert transport == "ipc"
    assert endpoint.startswith("b'ipc://")


def test_notebooks_write_nothing_to_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("IPYTHONDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.startswith("JUPYTER")]:
        monkeypatch.delenv(name)
    Notebook(tmp_path, "print('a')").run()
    # Matplotlib itself, which a kernel loads first, keeps its fonts in the home folder.
    assert {path.name for path in home.glob("*/*")} <= {"matplotlib"}
    assert {path.name for path in home.iterdir()} <= {".config", ".cache"}


def test_settings_of_the_user_do_not_reach_a_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nbackend: svg\n", encoding="utf-8")
    (tmp_path / "startup.py").write_text("started = True\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "startup.py"))
    source = "import matplotlib\nprint(matplotlib.rcParams['lines.linewidth'], 'started' in dir())"
    (cell,) = Notebook(tmp_path, source).run()
    assert text(cell) == "1.5 False\n"


def test_a_kernel_starts_if_the_temporary_folder_has_a_long_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("a" * 90)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    (cell,) = Notebook(tmp_path, "print(1)").run()
    assert text(cell) == "1\n"


def test_a_repeated_notebook_gives_the_same_file(tmp_path: Path) -> None:
    notebook = Notebook(tmp_path, "for n in range(3):\n    print(n, flush=True)\n1 + 1")
    notebook.run()
    first = notebook.output.read_bytes()
    notebook.run()
    assert notebook.output.read_bytes() == first


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("print('so far')\n1 / 0", "ZeroDivisionError"),
        ("1 +", "SyntaxError"),
        ("class Stop(BaseException): pass\nraise Stop", "Stop"),
        ("%unheard_of", "UsageError"),
    ],
)
def test_an_error_stops_the_notebook_and_is_saved_in_it(
    tmp_path: Path, source: str, name: str
) -> None:
    mark = tmp_path / "mark"
    notebook = Notebook(tmp_path, source, f"open({str(mark)!r}, 'w').close()")
    with pytest.raises(PapermillExecutionError):
        notebook.run()
    failing, later = notebook.executed()
    assert name in str(failing.outputs[-1])
    assert (text(failing).startswith("so far")) == (name == "ZeroDivisionError")
    assert (later.execution_count, later.outputs) == (None, [])
    assert not mark.exists()


def as_job(notebook: Notebook, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a notebook in a folder by the command that the workflow uses."""
    module = "tcpgoodput.project.notebooks"
    job = [sys.executable, "-m", module, notebook.path, notebook.output, "{}"]
    return subprocess.run(job, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("\n1 / 0\n2", ["cell 2: 1 / 0", "ZeroDivisionError: division by zero"]),
        ("assert 1 == 2", ["cell 2: assert 1 == 2", "AssertionError:"]),
        ("raise ValueError('one\\ntwo')", ["cell 2: raise", "ValueError: one"]),
    ],
)
def test_a_failing_cell_is_reported_in_three_lines(
    tmp_path: Path, source: str, result: list[str]
) -> None:
    notebook = Notebook(tmp_path, source)
    done = as_job(notebook, tmp_path)
    assert done.returncode == 1
    *_, cell, error, kept = done.stderr.splitlines()
    assert result[0] in cell
    assert error.strip() == result[1]
    assert not notebook.output.exists()
    (up_to_it,) = (tmp_path / "logs").rglob("*.ipynb")
    assert str(up_to_it.relative_to(tmp_path)) in kept


def test_a_failed_notebook_is_kept_with_the_logs_of_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_notebook: Path, output: Path, _parameters: object) -> None:
        write_text(output, str(output))
        raise PapermillExecutionError(1, 2, "1 / 0", "ZeroDivisionError", "", [])

    monkeypatch.setattr(notebooks, "run_notebook", failing)
    monkeypatch.chdir(tmp_path)
    for root in ("", "runs/one/", "runs/two/"):
        output = f"{root}results/executed/mathis.ipynb"
        monkeypatch.setattr("sys.argv", ["notebooks", "mathis.ipynb", output, "{}"])
        assert notebooks.main() == 1
    for root in ("", "runs/one/", "runs/two/"):
        kept = Path(f"{root}logs/failed/results/executed/mathis.ipynb")
        assert kept.read_text(encoding="utf-8") == f"{root}results/executed/mathis.ipynb"


def test_a_full_temporary_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(notebook: Path, output: Path, *given: object, **named: object) -> None:
        output.write_text("{", encoding="utf-8")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("papermill.execute_notebook", cut_off)
    with tempfile.TemporaryDirectory(dir="/tmp") as full:  # a path that is short enough for sockets
        monkeypatch.setattr("tempfile.tempdir", full)
        with pytest.raises(TemporaryFolderFull, match=f"{full}, is full.*TMPDIR"):
            Notebook(tmp_path, "1").run()


def test_a_kernel_may_start_late_and_is_named_if_it_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A loaded machine needed more than papermill's default of a minute."""
    assert notebooks.STARTS_WITHIN_S > 60

    async def too_late(*_: object, **__: object) -> None:
        raise RuntimeError("Kernel didn't respond in 600 seconds")

    monkeypatch.setattr(AsyncKernelClient, "wait_for_ready", too_late)
    notebook = Notebook(tmp_path, "1")
    arguments = ["notebooks", str(notebook.path), str(tmp_path / "out.ipynb"), "{}"]
    monkeypatch.setattr(sys, "argv", arguments)
    assert notebooks.main() == 1
    message = capsys.readouterr().err
    assert "Kernel didn't respond" in message
    assert "run the same command again" in message
    assert "Traceback" not in message


def test_bad_input_is_a_message_and_status_2(tmp_path: Path) -> None:
    source = (
        "from tcpgoodput.configuration import refused\n"
        "raise refused('mine.yaml', 'sources', 'names nobody')"
    )
    done = as_job(Notebook(tmp_path, source), tmp_path)
    assert done.returncode == 2
    *_, notebook, message = done.stderr.splitlines()
    assert re.fullmatch(r".*\.ipynb got invalid input:", notebook)
    assert message == "mine.yaml: sources: names nobody"


def test_output_of_cells_is_printed_immediately(tmp_path: Path) -> None:
    done = as_job(Notebook(tmp_path, "print('1 of 2')", "print('2 of 2')"), tmp_path)
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert lines.index("1 of 2") < lines.index("2 of 2")


def test_importing_jobs_does_not_import_papermill() -> None:
    code = (
        "import sys, tcpgoodput.project.notebooks\n"
        "print({'papermill', 'nbclient', 'IPython', 'matplotlib'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
