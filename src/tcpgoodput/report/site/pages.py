"""Collect all pages and executed notebooks of the web site in one folder, with adapted links.

In the project, links refer to files, as git hosts show them. On the site, links refer to pages.

python -m tcpgoodput.report.site.pages

The command above updates the generated tables and pictures in the pages of `docs/`.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from tcpgoodput.project.settings import SCHEMAS, Configuration
from tcpgoodput.report.site import generated as tables
from tcpgoodput.report.site.generated import commands, keys, model_pages, plain
from tcpgoodput.report.site.places import DOCS, ELSEWHERE, of_sample

Files = Mapping[Path, str | bytes]
"""Content of files on the web site, by their paths."""

LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
PICTURE = re.compile(r'(?<=<img src=")[^"]+')
FENCE = re.compile(r"(^ *(`{3,}).*?^ *\2 *$)", re.MULTILINE | re.DOTALL)


def placed(text: str, source: str, places: Mapping[str, str]) -> str:
    """Return a page's Markdown with links that work on the site.

    A link to a file that is not on the site is replaced by the text and the file's name. `places`
    has, for each file of the site, its path on the site by its path in the project.
    """
    page = places[source]

    def there(target: str) -> str | None:
        file = normpath(PurePosixPath(source).parent / target)
        return relpath(places[file], PurePosixPath(page).parent) if file in places else None

    def link(found: re.Match[str]) -> str:
        target, hash_, anchor = found["target"].partition("#")
        if not target or ":" in target:
            return found[0]
        if moved := there(target):
            return f"{found['image']}[{found['text']}]({moved}{hash_}{anchor})"
        file = normpath(PurePosixPath(source).parent / target)
        return found["text"] if found["text"] == file else f"{found['text']} (`{file}`)"

    def prose(part: str) -> str:
        part = PICTURE.sub(lambda found: there(found[0]) or found[0], part)
        return LINK.sub(link, part)

    parts = FENCE.split(text)  # text, a fenced code block, and the fence itself, in turn
    return "".join(
        prose(part) if index % 3 == 0 else part
        for index, part in enumerate(parts)
        if index % 3 != 2
    )


FLOWCHART = re.compile(r"```mermaid\n.*?```", re.DOTALL)
SHOWN = "```{figure} pictures/rules-1.svg\n:alt: Which rule reads what others make\n```"
"""Mermaid's own picture of the flowchart, because the site loads no script."""

KEYS = re.compile(r"<!-- keys of (?P<name>\w+) -->\n.*?<!-- end -->", re.DOTALL)
"""Pattern of generated lists of keys in config/README.md."""
KEYS_PAGE = r"Every key: [\g<name>](reference/keys/\g<name>.md)."
"""Link on the site, in place of such a list, to a page of its own."""

MADE = re.compile(r"[^\n]*<!-- made: (\w+) -->")
"""Pattern of placeholders for generated parts of pages. The text before a placeholder tells readers
of the repository where to find the same content. On the site the generated part replaces the whole
line."""

KEPT = re.compile(r"<!-- table: (?P<name>\w+) -->\n.*?<!-- end -->", re.DOTALL)
"""Pattern of generated tables that the pages of the repository contain, too. On the site they have
links to the pages of models, which the repository lacks."""

MODEL_PAGE = re.compile(r"\[(`[^`]*`)\]\([./]*reference/models/[^)]*\)")
"""Pattern of a link to the page of a model."""

PARTS: dict[str, Callable[[], str]] = {
    "choice": tables.choice,
    "commands": commands,
    "coverage": tables.coverage,
    "trust": tables.trust,
    "models": tables.models,
    "reductions": tables.reductions,
    "speed": tables.speed,
    "cpu": tables.cpu_seconds,
    **{f"keys_{name}": partial(keys, schema) for name, schema in SCHEMAS.items()},
}

HEADINGS = {"README.md": "Start"}
"""Headings on the site of pages whose own heading is that of the site's first page."""

LISTED = "notebooks/index.md"
"""Page with the list of all notebooks."""


def put_together(
    folder: Path, notebooks: Iterable[Path], titles: Mapping[str, str], figures: Files
) -> None:
    """Write the sources of all pages to a new folder, from which Sphinx builds the site.

    The titles replace the first headings of notebooks, by name. `figures` has the pages and files
    of the gallery, by their paths on the site.
    """
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("*.md", "__pycache__"))
    pages = sorted(path for path in DOCS.rglob("[!.]*") if path.suffix in (".md", ".png"))
    places = ELSEWHERE | {p.as_posix(): p.relative_to(DOCS).as_posix() for p in pages}
    files: dict[str, Path] = {}
    for notebook in notebooks:
        if (other := files.setdefault(page_of(notebook), notebook)) is not notebook:
            raise ValueError(f"{notebook} would replace the page of {other}")
    linked = places | {place: place for place in (f"notebooks/{name}.ipynb" for name in files)}
    for source, place in places.items():
        if Path(source).suffix == ".md":
            text = placed(Path(source).read_text(encoding="utf-8"), source, linked)
            if source in HEADINGS:
                text = re.sub(r"\A# .*", f"# {HEADINGS[source]}", text)
            _write(folder / place, _filled(text))
        else:
            _write(folder / place, Path(source).read_bytes())
    for place, content in {**model_pages(), **figures}.items():
        _write(folder / place, content)
    for name, notebook in files.items():
        gallery = f"../figures/{name}.md" if Path("figures", f"{name}.md") in figures else None
        page = shown(notebook, titles.get(name), files, gallery)
        _write(folder / "notebooks" / f"{name}.ipynb", page)
    names = "\n".join(ordered(files))
    listed = (folder / LISTED).read_text(encoding="utf-8")
    _write(folder / LISTED, f"{listed}\n```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n")


def _write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def with_tables(text: str) -> str:
    """Return a page of the repository with the present content of its generated tables."""

    def table(found: re.Match[str]) -> str:
        made = MODEL_PAGE.sub(r"\1", PARTS[found["name"]]()).strip()
        return f"<!-- table: {found['name']} -->\n{made}\n<!-- end -->"

    return KEPT.sub(table, text)


def _filled(text: str) -> str:
    """Return a page with generated tables, and with a picture in place of a Mermaid flowchart."""
    text = KEYS.sub(KEYS_PAGE, FLOWCHART.sub(SHOWN, text))
    text = KEPT.sub(lambda found: PARTS[found["name"]](), text)
    return MADE.sub(lambda found: PARTS[found[1]](), text)


WRITTEN = Path("notebooks")
"""Folder of the notebooks before their execution."""

FIRST = ("mathis", "packet_trains", "delay_spikes", "handoffs", "variable_capacity")
THEN = ("comparison", "claims", "validation", "inputs", "referees")
"""Notebooks at the beginning of the list, from simple to difficult models, and notebooks at its
end. All others are between them."""

PARAMETERS = {"parameters", "injected-parameters"}
"""Tags of notebook cells that receive file names from the workflow; the site omits these cells."""

NOTEBOOK_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
NOTEBOOK_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<name>\w+)\.ipynb\)")
"""Pattern of a link to another notebook."""

PNG = "image/png"

Cell = dict[str, Any]


def page_of(notebook: Path) -> str:
    """Return the name of an executed notebook's page.

    The notebook of a random sample is in `census/NAME/EXTENT/`.
    """
    is_sample = len(notebook.parts) > 3 and notebook.parts[-4] == "census"
    return of_sample(notebook.stem) if is_sample else notebook.stem


def titles_of(configuration: Configuration) -> dict[str, str]:
    """Return the titles of the pages of notebooks that several studies or samples share.

    A study without a notebook of its own is shown by a general notebook, whose heading names no
    study, and so is each sample. The titles are by the name of the page.
    """
    titles = {name: source.figures.title for name, source in configuration.sources.items()}
    samples = configuration.censuses.items()
    titles |= {of_sample(name): sample.census.title for name, sample in samples}
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
        cells[0] |= {"source": NOTEBOOK_HEADING.sub(lambda _: heading, _text(cells[0]), count=1)}
    for cell in cells:
        if cell["cell_type"] == "markdown":
            cell["source"] = NOTEBOOK_LINK.sub(
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
            heading = [heading, *NOTEBOOK_HEADING.findall(_text(cell))][-1]
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


if __name__ == "__main__":
    from tcpgoodput.report.site.pictures import PICTURES

    for page in sorted(DOCS.rglob("*.md")):
        before = page.read_text(encoding="utf-8")
        if (after := with_tables(before)) != before:
            page.write_text(after, encoding="utf-8")
            print(f"updated {page}")
    for name, drawn in PICTURES.items():
        picture = DOCS / "pictures" / f"{name}.svg"
        picture.write_text(drawn(), encoding="utf-8")
