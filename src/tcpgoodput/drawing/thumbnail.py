"""Pictures reduced in size: small ones for pages, and the README's matrix of errors.

The goodputs of COMPARISON.csv, from which the errors follow, are stored in the matrix's PNG file as
text.

python -m tcpgoodput.drawing.thumbnail MATRIX.png COMPARISON.csv PICTURE.png
"""

from __future__ import annotations

import argparse
import csv
import io
import json
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tcpgoodput.storage import write_bytes

WIDEST, COLOURS = 760, 64
"""Largest width of a picture in pixels, and its number of colours."""


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


NUMBERS = "comparison"
"""Key of the PNG metadata under which the picture's numbers are stored."""

MATRIX_COLOURS = 128
DIGITS = 9

Numbers = dict[str, dict[str, float | None]]
"""Goodputs in bit/s by scenario and model; the key `simulated` has the simulated goodput."""


def numbers_of(table: Path) -> Numbers:
    """Read the goodputs in `comparison.csv`, rounded to `DIGITS` significant digits."""
    found: Numbers = {}
    with open(table, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            case = "-".join(filter(None, (row["scenario"], row["variation"])))
            own = found.setdefault(case, {"simulated": _number(row["simulated_bps"])})
            own[row["model"]] = _number(row["goodput_bps"])
    return found


def _number(text: str) -> float | None:
    return float(f"{float(text):.{DIGITS}g}") if text else None


def with_numbers(matrix: Path, table: Path) -> bytes:
    """Return the matrix's picture as a smaller PNG file that contains its numbers."""
    metadata = PngInfo()
    metadata.add_text(NUMBERS, json.dumps(numbers_of(table)), zip=True)
    buffer = io.BytesIO()
    picture = Image.open(matrix).convert("RGB").quantize(MATRIX_COLOURS)
    picture.save(buffer, "PNG", optimize=True, pnginfo=metadata)
    return buffer.getvalue()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tcpgoodput.drawing.thumbnail")
    for name in ("matrix", "table", "picture"):
        parser.add_argument(name, type=Path)
    arguments = parser.parse_args()
    write_bytes(arguments.picture, with_numbers(arguments.matrix, arguments.table))
