"""The captions of figures and tables for Snakemake's own report, as reStructuredText."""

from __future__ import annotations

import re

from tcpgoodput.configuration.markup import converted

MARKED = re.compile(r"([\\*`|_<>\[\]])")
"""What is markup in reStructuredText."""


def caption_rst(title: str, caption: str) -> str:
    """Return a figure's title and caption, with what stands between $ signs as mathematics."""
    return f"**{_text(title)}**\n\n{_text(' '.join(caption.split()))}\n"


def _text(text: str) -> str:
    """Return plain text with mathematics as reStructuredText."""
    return converted(
        text,
        prose=lambda part: MARKED.sub(r"\\\1", part),
        mathematics=":math:`{}`\\ ".format,
    ).strip()
