"""Notebooks run in the job's own process, and hold what a kernel would have put into them."""

from __future__ import annotations

import os
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from papermill.exceptions import PapermillExecutionError

from tcpgoodput.workflow.notebooks import run_notebook

PNG = b"\x89PNG\r\n"
KERNEL = {"name": "python3", "language": "python", "display_name": "Python 3"}


class Notebook:
    """A notebook of these cells, which takes the parameter `file`."""

    def __init__(self, folder: Path, *sources: str) -> None:
        parameters = new_code_cell("file = ''", metadata={"tags": ["parameters"]})
        cells = [new_markdown_cell("# Title"), parameters, *map(new_code_cell, sources)]
        self.path = folder / "written.ipynb"
        self.output = folder / "executed.ipynb"
        nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": KERNEL}), self.path)

    def run(self) -> list[NotebookNode]:
        """Run it and return the cells that were given, executed."""
        run_notebook(self.path, self.output, "file", Path("data/described.json"))
        return self.executed()

    def executed(self) -> list[NotebookNode]:
        cells = nbformat.read(self.output, as_version=4).cells
        own = [cell for cell in cells if cell.cell_type == "code"]
        return own[2:]  # without the parameters as they are written and as they are injected


def texts(cell: NotebookNode) -> list[tuple[str, str]]:
    """Return the outputs of a cell: a stream's name or a kind, and what is read there."""
    return [
        (output.name, output.text)
        if output.output_type == "stream"
        else (output.output_type, output.data["text/plain"])
        for output in cell.outputs
    ]


# ---- What cells show


def test_outputs_are_captured_in_the_order_in_which_a_cell_shows_them(tmp_path: Path) -> None:
    cell, silent, last = Notebook(
        tmp_path,
        "import sys\n"
        "from IPython.display import Markdown, display\n"
        "print('one')\n"
        "print('two')\n"
        "print('three', file=sys.stderr)\n"
        "display(Markdown('*four*'), metadata={'a': 1})\n"
        "print('five')\n"
        "6",
        "7;",
        "_ + 1",
    ).run()
    assert texts(cell) == [
        ("stdout", "one\ntwo\n"),
        ("stderr", "three\n"),
        ("display_data", "<IPython.core.display.Markdown object>"),
        ("stdout", "five\n"),
        ("execute_result", "6"),
    ]
    assert cell.outputs[2].data["text/markdown"] == "*four*"
    assert cell.outputs[2].metadata == {"a": 1}
    assert cell.execution_count == cell.outputs[4].execution_count == 3
    assert (silent.execution_count, silent.outputs) == (4, [])
    assert texts(last) == [("execute_result", "7")]


def test_figures_are_shown_as_images(tmp_path: Path) -> None:
    sources = [
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nfrom IPython.display import display",
        "figure, axes = plt.subplots()\nplt.close(figure)\ndisplay(figure)\nfigure",
        "plt.plot([1, 2]);",
    ]
    for _ in range(2):  # a process's second notebook has them as well
        _, given, left_open = Notebook(tmp_path, *sources).run()
        kinds = [output.output_type for output in (*given.outputs, *left_open.outputs)]
        assert kinds == ["display_data", "execute_result", "display_data"]
        for output in (*given.outputs, *left_open.outputs):
            assert b64decode(output.data["image/png"]).startswith(PNG)
            assert output.data["text/plain"].startswith("<Figure size")


def test_images_in_bytes_are_shown_as_text(tmp_path: Path) -> None:
    source = f"class Image:\n    def _repr_png_(self):\n        return {PNG!r}\nImage()"
    (cell,) = Notebook(tmp_path, source).run()
    assert b64decode(cell.outputs[0].data["image/png"]) == PNG


def test_what_threads_print_is_captured(tmp_path: Path) -> None:
    source = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(4) as pool:\n"
        "    list(pool.map(lambda n: print(f'{n}\\n', end=''), range(100)))"
    )
    (cell,) = Notebook(tmp_path, source).run()
    ((name, text),) = texts(cell)
    assert name == "stdout"
    assert sorted(map(int, text.split())) == list(range(100))


def test_cells_are_cleared_when_they_say_so(tmp_path: Path) -> None:
    source = (
        "from IPython.display import clear_output\nprint('before')\nclear_output()\nprint('after')"
    )
    (cell,) = Notebook(tmp_path, source).run()
    assert texts(cell) == [("stdout", "after\n")]


# ---- What cells are given


def test_the_parameter_is_injected(tmp_path: Path) -> None:
    (cell,) = Notebook(tmp_path, "file").run()
    assert texts(cell) == [("execute_result", "'data/described.json'")]


def test_cells_run_where_the_job_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (cell,) = Notebook(tmp_path, "import os\nprint(os.getpid(), os.getcwd())").run()
    assert texts(cell) == [("stdout", f"{os.getpid()} {folder}\n")]


def test_a_notebook_knows_nothing_of_the_one_before(tmp_path: Path) -> None:
    main, stdout = sys.modules["__main__"], sys.stdout
    Notebook(tmp_path, "print('left')", "left = 1\nleft").run()
    assert sys.modules["__main__"] is main
    assert sys.stdout is stdout
    cell, other = Notebook(tmp_path, "'left' in globals(), _, Out", "__name__").run()
    assert texts(cell) == [("execute_result", "(False, '', {})")]
    assert cell.execution_count == 3
    assert texts(other) == [("execute_result", "'__main__'")]


def test_nothing_is_written_to_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib.font_manager  # noqa: F401 - its list of fonts is no notebook's doing

    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("IPYTHONDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    Notebook(tmp_path, "print('a')", "import matplotlib.pyplot as plt\nplt.plot([1])").run()
    assert list(home.iterdir()) == []


# ---- How cells fail


@pytest.mark.filterwarnings("ignore:To exit")  # IPython's advice on SystemExit
@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("1 +", "SyntaxError"),
        ("raise SystemExit(1)", "SystemExit"),
        ("class Stop(BaseException): pass\nraise Stop", "Stop"),
        (
            "class Odd:\n    def _repr_html_(self):\n        return 1 / 0\nOdd()",
            "ZeroDivisionError",
        ),
    ],
)
def test_an_error_ends_the_notebook_and_is_in_it(tmp_path: Path, source: str, name: str) -> None:
    mark = tmp_path / "mark"
    notebook = Notebook(tmp_path, source, f"open({str(mark)!r}, 'w').close()")
    with pytest.raises(PapermillExecutionError, match=name):
        notebook.run()
    failing, later = notebook.executed()
    (error,) = [output for output in failing.outputs if output.output_type == "error"]
    assert error.ename == name
    assert any(name in line for line in error.traceback)
    assert failing.metadata.papermill.status == "failed"
    assert (later.execution_count, later.outputs) == (None, [])
    assert later.metadata.papermill.status == "pending"
    assert not mark.exists()


def test_what_a_cell_shows_before_it_fails_is_kept(tmp_path: Path) -> None:
    notebook = Notebook(tmp_path, "print('so far')\n1 / 0")
    with pytest.raises(PapermillExecutionError):
        notebook.run()
    (cell,) = notebook.executed()
    assert [output.output_type for output in cell.outputs] == ["stream", "error"]


def test_an_error_without_output_fails_too(tmp_path: Path) -> None:
    notebook = Notebook(tmp_path, "%unheard_of", "print('later')")
    with pytest.raises(PapermillExecutionError):
        notebook.run()
    assert notebook.executed()[1].outputs == []


def test_an_interrupt_ends_the_notebook(tmp_path: Path) -> None:
    notebook = Notebook(tmp_path, "raise KeyboardInterrupt", "print('later')")
    with pytest.raises(PapermillExecutionError, match="KeyboardInterrupt"):
        notebook.run()
    failing, later = notebook.executed()
    assert failing.outputs[0].ename == "KeyboardInterrupt"
    assert later.outputs == []


# ---- What the rest of the program pays for it


def test_jobs_load_no_notebooks_before_they_run_one() -> None:
    code = (
        "import sys, tcpgoodput.workflow.notebooks\n"
        "print({'papermill', 'IPython', 'matplotlib'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
