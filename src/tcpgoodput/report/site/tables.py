"""Update the generated tables and pictures in the pages of `docs/`.

python -m tcpgoodput.report.site.tables
"""

from __future__ import annotations

from tcpgoodput.report.site.pages import with_tables
from tcpgoodput.report.site.pictures import PICTURES
from tcpgoodput.report.site.places import DOCS

if __name__ == "__main__":
    for page in sorted(DOCS.rglob("*.md")):
        before = page.read_text(encoding="utf-8")
        if (after := with_tables(before)) != before:
            page.write_text(after, encoding="utf-8")
            print(f"updated {page}")
    for name, drawn in PICTURES.items():
        picture = DOCS / "pictures" / f"{name}.svg"
        picture.write_text(drawn(), encoding="utf-8")
