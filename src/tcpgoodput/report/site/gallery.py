"""The site's gallery: every figure of a run, with its title, data, notebook and definition.

One page shows all figures in small size. A page for each study shows the study's figures with
captions, and with the YAML entries that define the figures.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tcpgoodput.comparison.census.design import RECORDED, SAMPLE, WHOLE
from tcpgoodput.configuration import Document, read
from tcpgoodput.configuration.markup import converted
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.drawing import OF_PAIRS, OF_SAMPLES, TITLES
from tcpgoodput.drawing.thumbnail import thumbnail
from tcpgoodput.project.settings import Configuration
from tcpgoodput.report.site.generated import plain
from tcpgoodput.report.site.places import DOCS, of_sample
from tcpgoodput.studies.open_settings import as_drawn

FOLDER = Path("figures")

NO_RUN = "This site was built without a run: make one by `./reproduce`, then run `snakemake site`."

TABLES = {
    "comparison/matrix": "comparison",
    "comparison/variations": "comparison/families",
    "comparison/ranking": "comparison/ranking",
    "comparison/sensitivity": "comparison/sensitivity",
    "comparison/held": "heldout/rows",
    "inputs/levels": "inputs/errors",
    "claims/verdicts": "claims",
    "referees/agreement": "referees",
    "referees/scenarios": "referees",
}
"""For each picture in `TITLES`: the path below `results/` of the table with its numbers, without
suffix."""

NOTEBOOKS = {"comparison/held": "validation"}
"""For pictures whose notebook is not named after the picture's folder: the notebook's name."""


@dataclass(frozen=True)
class Exhibit:
    """A figure or table of a run that the gallery shows."""

    path: str
    """Path of the picture below `figures/`, without its suffix."""
    title: str
    table: str
    """Path of the table below `results/`, without its suffix."""
    notebook: str
    caption: str = ""
    file: Path | None = None
    """The YAML file that defines the figure or table."""
    key: Key = ()
    """Key under which the YAML file defines the figure or table."""

    @property
    def label(self) -> str:
        """The label of the section about the figure or table, for links."""
        return f"figure-{self.path.replace('/', '-')}"


def groups(configuration: Configuration) -> Iterator[tuple[str, str, list[Exhibit]]]:
    """Yield name, title and exhibits (figures, tables) of each study, then of the comparison."""
    folder, settings = configuration.path.parent, configuration.settings
    for study, source in configuration.sources.items():
        file = folder / settings.figures / f"{study}.yaml"
        exhibits = [
            Exhibit(path, figure.title, path, study, figure.caption, file, ("figures", name))
            for name, figure in as_drawn(source.figures).items()
            for path in [f"{study}/{name}"]
        ]
        yield study, source.figures.title, exhibits
    yield "all_models", "All models side by side", list(_compared(configuration))


def _compared(configuration: Configuration) -> Iterator[Exhibit]:
    folder, compared = configuration.path.parent, configuration.comparison
    file = folder / configuration.settings.comparison if compared else None
    for path, title in TITLES.items():
        own = path.partition("/")[0]
        defined = file if own == "comparison" else None
        yield Exhibit(path, title, TABLES[path], NOTEBOOKS.get(path, own), file=defined)
    for name, region in (compared.settings.maps if compared else {}).items():
        path, table = f"comparison/map_{name}", f"comparison/maps/{name}"
        yield Exhibit(path, region.title, table, "comparison", region.caption, file, ("maps", name))
    for name in configuration.censuses:
        for extent in (RECORDED, WHOLE, SAMPLE):
            for picture, title in {**OF_SAMPLES, **OF_PAIRS}.items():
                path = f"census/{name}/{extent}/{picture}"
                defined = folder / str(configuration.settings.census) / f"{name}.yaml"
                yield Exhibit(path, f"{title} ({name})", path, of_sample(name), file=defined)


class Gallery:
    """The pages of the gallery of one run, with the files that they show."""

    def __init__(self, results: Path, figures: Path, notebooks: Collection[str]) -> None:
        self.results, self.figures, self.notebooks = results, figures, notebooks
        self.written: dict[Path, str | bytes] = {}

    def pages(self, configuration: Configuration) -> dict[Path, str | bytes]:
        """Return the content of all pages and files, by their paths on the site."""
        parts, names = [], []
        for name, title, exhibits in groups(configuration):
            if made := [exhibit for exhibit in exhibits if self._is_made(exhibit)]:
                page = [f"# {plain(title)}\n", *map(self._entry, made)]
                self._write(f"{name}.md", "\n".join(page))
                parts.append(self._overview(title, made))
                names.append(name)
        head = (DOCS / FOLDER / "index.md").read_text(encoding="utf-8")
        pages = "\n".join(["```{toctree}", ":hidden:", "", *names, "```"]) if names else NO_RUN
        self._write("index.md", "\n\n".join([head, pages, *parts]))
        return self.written

    def _is_made(self, exhibit: Exhibit) -> bool:
        picture, table = self._picture(exhibit), self.results / f"{exhibit.table}.csv"
        return picture.is_file() or (exhibit.table == exhibit.path and table.is_file())

    def _picture(self, exhibit: Exhibit) -> Path:
        return self.figures / f"{exhibit.path}.png"

    def _overview(self, title: str, made: list[Exhibit]) -> str:
        """Return a section of the gallery's first page: small pictures, and titles of tables."""
        drawn = [exhibit for exhibit in made if self._picture(exhibit).is_file()]
        small = "\n".join(
            f"````{{container}} exhibit\n{self._shown(exhibit)}\n\n"
            f"[{plain(exhibit.title)}](#{exhibit.label})\n\n{self._links(exhibit)}\n````"
            for exhibit in drawn
        )
        tables = ", ".join(f"[{plain(e.title)}](#{e.label})" for e in made if e not in drawn)
        parts = [f"## {plain(title)}"]
        parts += [f"`````{{container}} gallery\n{small}\n`````"] if drawn else []
        return "\n\n".join([*parts, f"Tables: {tables}."] if tables else parts)

    def _entry(self, exhibit: Exhibit) -> str:
        """Return the section about a figure or table on the page of its study."""
        caption = converted(exhibit.caption, prose=plain)
        image = self._shown(exhibit) if self._picture(exhibit).is_file() else ""
        parts = [f"({exhibit.label})=\n## {plain(exhibit.title)}", image, caption]
        parts.append(self._links(exhibit))
        if exhibit.file and exhibit.key:
            text = entry(exhibit.file, exhibit.key)
            parts.append(f"`{exhibit.file}`:\n\n({exhibit.label}-yaml)=\n```yaml\n{text}\n```")
        return "\n\n".join(parts) + "\n"

    def _shown(self, exhibit: Exhibit) -> str:
        place = f"small/{exhibit.path}.png"
        if FOLDER / place not in self.written:
            self._write(place, thumbnail(self._picture(exhibit)))
        return f"[![{plain(exhibit.title)}]({place})](#{exhibit.label})"

    def _links(self, exhibit: Exhibit) -> str:
        """Return links to an exhibit's data, notebook and YAML definition, if these exist."""
        found, table = [f"`{Path(exhibit.path).name}`"], self.results / f"{exhibit.table}.csv"
        if table.is_file():
            found.append(f"[data]({self._copy(table, f'{exhibit.table}.csv')})")
        if exhibit.notebook in self.notebooks:
            found.append(f"[notebook](../notebooks/{exhibit.notebook}.ipynb)")
        if exhibit.file and exhibit.key:
            found.append(f"[YAML](#{exhibit.label}-yaml)")
        elif exhibit.file:
            found.append(f"[YAML]({self._copy(exhibit.file, exhibit.file.name)})")
        return " · ".join(found)

    def _copy(self, file: Path, place: str) -> str:
        place = f"files/{place}"
        self._write(place, file.read_bytes())
        return place

    def _write(self, place: str, content: str | bytes) -> None:
        self.written[FOLDER / place] = content


_document = cache(read)


def entry(file: Path, key: Key) -> str:
    """Return those lines of a YAML file that define one key, without their common indentation."""
    document: Document = _document(file)
    first, *others = file.read_text(encoding="utf-8").splitlines()[document.line(key) - 1 :]
    indent = len(first) - len(first.lstrip())
    lines = [first]
    for line in others:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        lines.append(line)
    return textwrap.dedent("\n".join(lines)).rstrip()
