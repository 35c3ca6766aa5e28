"""The captions of figures and tables for Snakemake's own report, as reStructuredText."""

from __future__ import annotations

import re

MARKED = re.compile(r"([\\*`|_<>\[\]])")
"""What is markup in reStructuredText."""


def caption_rst(title: str, caption: str) -> str:
    """Return a figure's title and caption, with what stands between $ signs as mathematics."""
    return f"**{_text(title)}**\n\n{_text(' '.join(caption.split()))}\n"


def _text(text: str) -> str:
    """Return plain text with mathematics as reStructuredText."""
    parts = text.split("$")
    written = [
        f":math:`{part}`\\ " if position % 2 else MARKED.sub(r"\\\1", part)
        for position, part in enumerate(parts)
    ]
    return "".join(written).strip()
