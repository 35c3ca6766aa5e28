"""What a study's notebook shows of a run: its figures and tables, as the run's JSON lists them."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
from IPython.display import Image, Markdown, display

from tcpgoodput.style.looks import Palette, Style, load_style

WIDTH = 760
"""Of a picture on the page, in pixels."""

STYLE = Path("config", "style.yaml")


class Exhibits:
    """The figures and tables of one study, and the style in which they are drawn."""

    def __init__(self, run: str | Path | None, study: str) -> None:
        """Read what a run made of a study.

        Args:
            run: the JSON file that lists it, beside its numbers; None: that of the last run of the
                project in which the notebook lies, if there was one.
            study: its name.

        """
        last = Path("results", study, "study.json")
        self.path = (_here_or_above(last) or ".." / last) if run is None else Path(run)
        self.told = None
        if run is not None or self.path.is_file():
            self.told = json.loads(self.path.read_text(encoding="utf-8"))

    @property
    def style(self) -> Style:
        """The looks of models and engines: the run's, or without a run the project's.

        Raises:
            FileNotFoundError: there is neither; the message says what to do.

        """
        if self.told is not None:
            return Style(Palette.model_validate(self.told["style"]))
        if file := _here_or_above(STYLE):
            return load_style(file)
        raise FileNotFoundError(f"no {STYLE} here or above: open the notebook in its project")

    def show(self) -> None:
        """Show every figure and table with its caption, or say how they are made."""
        if self.told is None:
            display(Markdown("*No run has drawn this study's figures yet: `./reproduce` does.*"))
            return
        for exhibit in self.told["exhibits"]:
            display(Markdown(f"### {exhibit['name']}: {exhibit['title']}"))
            rows = self.path.parent / exhibit["rows"]
            if exhibit["picture"]:
                display(Image(str(self.path.parent / exhibit["picture"]), width=WIDTH))
            else:
                table = pd.read_csv(rows, dtype_backend="numpy_nullable")
                display(table.astype(object).fillna(""))
            display(Markdown(f"{exhibit['caption']} Numbers: `{exhibit['rows']}`."))


def _here_or_above(file: Path) -> Path | None:
    """Return a file of the project, wherever in it a notebook runs, or None if there is none."""
    here = Path.cwd()
    every = (folder / file for folder in (here, *here.parents))
    return next((path for path in every if path.is_file()), None)
