"""Files for the rules of the workflow: captions of figures, and what the web site is made of."""

from __future__ import annotations

import hashlib
import html
from os.path import relpath
from pathlib import Path

from tcpgoodput.configuration.markup import converted
from tcpgoodput.configuration.strict_yaml import NAMES
from tcpgoodput.models.references import REFERENCES
from tcpgoodput.storage import write_text

DOCS = Path("docs")

ELSEWHERE = {
    "README.md": "start.md",
    "CHANGELOG.md": "changelog.md",
    "config/README.md": "configuration.md",
    "paper/matrix.png": "pictures/matrix.png",
}
"""Files outside `docs/` that are pages of the site or parts of pages, with their paths on the
site."""


def of_sample(name: str) -> str:
    """Return the name of the page of a random sample, which may have the name of a study."""
    return f"census_{name}"


def own_files() -> list[str]:
    """Return the paths of the project's files from which the site is made.

    The site shows docstrings, so the modules of the package are among these files.
    """
    modules = Path(__file__).parents[2].rglob("[!.]*.py")
    docs = [file for file in DOCS.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    scenarios = Path("config/scenarios").rglob(NAMES)
    found = [*map(str, docs), *map(str, scenarios), *map(relpath, modules)]
    return sorted([*found, str(REFERENCES), *ELSEWHERE])


CAPTIONS = Path(".cache/captions")

CAPTION = "{{% raw %}}.. raw:: html\n\n   <p>{}</p>\n{{% endraw %}}\n"
"""A Jinja template of reStructuredText, as Snakemake's report needs, that contains HTML."""


def caption_file(caption: str) -> str:
    """Return the absolute path of a file with a caption as HTML, which is written if missing."""
    file = CAPTIONS / f"{hashlib.sha256((CAPTION + caption).encode()).hexdigest()[:16]}.rst"
    if not file.is_file():
        # Imported here, because most runs find all captions written.
        from tcpgoodput.report.site.mathml import mathml

        text = converted(" ".join(caption.split()), prose=html.escape, mathematics=mathml)
        write_text(file, CAPTION.format(text))
    return str(file.absolute())
