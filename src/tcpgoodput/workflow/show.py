"""Run a study's notebook on what a run has made of the study.

python -m tcpgoodput.workflow.show STUDY NOTEBOOK OUTPUT
"""

from __future__ import annotations

import sys
from pathlib import Path

from tcpgoodput.jobs.notebooks import run_notebook
from tcpgoodput.storage.files import write_text

RUN = "study.json"


def show(study: Path, notebook: Path, output: Path) -> None:
    """Put the description of a study beside its executed notebook, which reads it there."""
    write_text(output.parent / RUN, study.read_text(encoding="utf-8"))
    run_notebook(notebook, output, {"run": RUN})


if __name__ == "__main__":
    show(*map(Path, sys.argv[1:]))
