"""Pictures reduced in size, for pages that show many of them."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

WIDEST, COLOURS = 760, 64
"""Largest width of a picture in pixels, and its number of colours. Both were chosen by hand."""


def thumbnail(file: Path) -> bytes:
    """Return the picture in a file as a PNG of reduced size."""
    with Image.open(file) as image:
        plain = image.convert("RGB")
    if plain.width > WIDEST:
        size = (WIDEST, round(plain.height * WIDEST / plain.width))
        plain = plain.resize(size, Image.Resampling.LANCZOS)
    content = io.BytesIO()
    plain.quantize(COLOURS, dither=Image.Dither.NONE).save(content, "PNG", optimize=True)
    return content.getvalue()
