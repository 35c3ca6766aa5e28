"""Captions of figures and tables as files, in the form that Snakemake's report reads."""

from __future__ import annotations

import hashlib
import html
from pathlib import Path

from tcpgoodput.configuration.markup import converted
from tcpgoodput.storage import write_text

FOLDER = Path(".cache/captions")

FORM = "{{% raw %}}.. raw:: html\n\n   <p>{}</p>\n{{% endraw %}}\n"
"""A Jinja template of reStructuredText, as Snakemake's report needs, that contains HTML."""


def caption_file(caption: str) -> str:
    """Return the absolute path of a file with a caption as HTML, which is written if missing."""
    file = FOLDER / f"{hashlib.sha256((FORM + caption).encode()).hexdigest()[:16]}.rst"
    if not file.is_file():
        # Imported here, because most runs find all captions written.
        from tcpgoodput.report.site.mathml import mathml

        text = converted(" ".join(caption.split()), prose=html.escape, mathematics=mathml)
        write_text(file, FORM.format(text))
    return str(file.absolute())
