"""Put one figure of each study side by side: paper/overview.png, which the README shows.

python workflow/scripts/draw_overview.py PICTURE... (made by the workflow, below figures/)
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

HEIGHT = 300
GAP = 24
WIDTH = 1500
OUTPUT = Path(__file__).parents[2] / "paper" / "overview.png"


def rows_of(pictures: list[Image.Image]) -> list[list[Image.Image]]:
    """Break scaled pictures into rows that are at most WIDTH wide."""
    rows: list[list[Image.Image]] = [[]]
    for picture in pictures:
        taken = sum(p.width + GAP for p in rows[-1])
        if rows[-1] and taken + picture.width > WIDTH:
            rows.append([])
        rows[-1].append(picture)
    return rows


def main(names: list[str]) -> None:
    """Scale, arrange and write."""
    pictures = []
    for name in names:
        picture = Image.open(name).convert("RGB")
        height = min(HEIGHT, round(WIDTH * picture.height / picture.width))
        size = (round(picture.width * height / picture.height), height)
        pictures.append(picture.resize(size, Image.Resampling.LANCZOS))
    rows = rows_of(pictures)
    canvas = Image.new(
        "RGB", (WIDTH, sum(max(p.height for p in row) + GAP for row in rows)), "white"
    )
    top = 0
    for row in rows:
        left = (WIDTH - sum(p.width + GAP for p in row) + GAP) // 2
        for picture in row:
            canvas.paste(picture, (left, top))
            left += picture.width + GAP
        top += max(p.height for p in row) + GAP
    canvas.quantize(200).save(OUTPUT, optimize=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
