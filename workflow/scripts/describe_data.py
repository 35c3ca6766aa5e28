"""Write `data/datapackage.json`, which defines the columns of the recorded tables.

python workflow/scripts/describe_data.py
"""

from pathlib import Path

from tcpgoodput.project.manifest import DATAPACKAGE
from tcpgoodput.project.publish import Columns, package
from tcpgoodput.storage import as_json, write_text

ROOT = Path(__file__).parents[2]
FILE = ROOT / "data" / DATAPACKAGE


def text() -> str:
    """Return the Data Package of the recorded tables as JSON text."""
    tables = sorted(file.relative_to(ROOT).as_posix() for file in ROOT.glob("data/**/*.csv"))
    columns = Columns(ROOT / "workflow" / "columns.yaml")
    titles = {table: table.removeprefix("data/").removesuffix(".csv") for table in tables}
    return as_json(package("Recorded measurements of tcpgoodput", titles, ROOT, columns))


if __name__ == "__main__":
    write_text(FILE, text())
