"""Executed notebooks as pages of the site: order, titles, and alternative texts of pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tcpgoodput.project.settings import Configuration
from tcpgoodput.report.site.generated import plain

WRITTEN = Path("notebooks")
"""Folder of the notebooks before their execution."""

FIRST = ("mathis", "packet_trains", "delay_spikes", "handoffs", "variable_capacity")
THEN = ("comparison", "claims", "validation", "inputs", "referees")
"""Notebooks at the beginning of the list, from simple to difficult models, and notebooks at its
end. All others are between them."""

PARAMETERS = {"parameters", "injected-parameters"}
"""Tags of notebook cells that receive file names from the workflow; the site omits these cells."""

HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<name>\w+)\.ipynb\)")
"""Pattern of a link to another notebook."""

PNG = "image/png"

Cell = dict[str, Any]


def titles_of(configuration: Configuration) -> dict[str, str]:
    """Return the titles of the pages of notebooks that several studies or samples share.

    A study or sample without a notebook of its own is shown by a general notebook, whose heading
    names no study. The titles are by the name of the study or sample.
    """
    titles = {name: source.figures.title for name, source in configuration.sources.items()}
    titles |= {name: census.census.title for name, census in configuration.censuses.items()}
    own = {file.stem for file in WRITTEN.glob("*.ipynb")}
    return {name: title for name, title in titles.items() if name not in own}


def ordered(names: Iterable[str]) -> list[str]:
    """Return the names of notebooks in the order in which a reader should read them."""
    order = {name: number for number, name in enumerate(FIRST)}
    order |= {name: len(FIRST) + 1 + number for number, name in enumerate(THEN)}
    return sorted(names, key=lambda name: (order.get(name, len(FIRST)), name))


def shown(
    notebook: Path,
    title: str | None = None,
    others: Collection[str] = (),
    gallery: str | None = None,
) -> str:
    """Return an executed notebook as JSON, as the site shows it.

    Cells that only the workflow needs are left out, and pictures have alternative texts. Without a
    title, the page has the notebook's first heading. A link to a notebook that is not among the
    `others` becomes text. `gallery` is the page with all figures of the notebook, to which a link
    is added at the end.
    """
    content: dict[str, Any] = json.loads(notebook.read_text(encoding="utf-8"))
    cells = [cell for cell in content["cells"] if not PARAMETERS & {*_tags(cell)}]
    if title:
        heading = f"# {plain(title)}"
        cells[0] |= {"source": HEADING.sub(lambda _: heading, _text(cells[0]), count=1)}
    for cell in cells:
        if cell["cell_type"] == "markdown":
            cell["source"] = LINK.sub(
                lambda found: found[0] if found["name"] in others else found["text"], _text(cell)
            )
    if gallery:
        text = f"All figures of this page's study, with their data: [figures]({gallery})."
        cells.append({"cell_type": "markdown", "id": "figures", "metadata": {}, "source": text})
    content["cells"] = list(_described(cells))
    return json.dumps(content)


def _described(cells: Iterable[Cell]) -> Iterator[Cell]:
    """Yield a notebook's cells with an alternative text for each picture.

    The text is that of the picture's metadata, else the last heading above the cell. MyST-NB has
    one text for all pictures of a cell, so each further picture gets a cell of its own.
    """
    heading = ""
    for cell in cells:
        if cell["cell_type"] == "markdown":
            heading = [heading, *HEADING.findall(_text(cell))][-1]
            yield cell
            continue
        for number, outputs in enumerate(_one_picture_each(cell.get("outputs", ()))):
            pictures = [o.get("metadata", {}).get(PNG, {}) for o in outputs if PNG in _data(o)]
            alt = pictures[0].get("alt", heading) if pictures else heading
            part = {**cell, "outputs": outputs}
            shown_as = {**cell["metadata"].get("mystnb", {}), "image": {"alt": alt}}
            part["metadata"] = {**cell["metadata"], "mystnb": shown_as}
            if number:
                part |= {"id": f"{cell['id']}-{number}", "source": ""}
                part["metadata"]["tags"] = [*_tags(cell), "remove-input"]
            yield part


def _one_picture_each(outputs: Iterable[Cell]) -> list[list[Cell]]:
    """Divide the outputs of a cell into groups that have at most one picture each."""
    groups: list[list[Cell]] = [[]]
    for output in outputs:
        if PNG in _data(output) and any(PNG in _data(other) for other in groups[-1]):
            groups.append([])
        groups[-1].append(output)
    return groups


def _data(output: Cell) -> Mapping[str, Any]:
    return dict(output.get("data", {}))


def _tags(cell: Cell) -> list[str]:
    return list(cell["metadata"].get("tags", ()))


def _text(cell: Cell) -> str:
    return "".join(cell["source"])
