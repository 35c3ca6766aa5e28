"""Write the tables of config/README.md, and the JSON schemas with which editors check YAML files.

Run this script after a change to a schema; a test fails if these files differ from the schemas.
"""

from __future__ import annotations

import re
from pathlib import Path

from tcpgoodput.configuration.documentation import documented_keys, editor_schema, markdown_table
from tcpgoodput.project.settings import KINDS, SCHEMAS

ROOT = Path(__file__).parents[2]
README = ROOT / "config" / "README.md"
EDITORS = ROOT / "config" / "schemas"


def readme(text: str) -> str:
    """Return config/README.md with the table of each schema between its markers."""
    for name, schema in SCHEMAS.items():
        table = markdown_table(documented_keys(schema))
        marked = re.compile(rf"(<!-- keys of {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, found = marked.subn(lambda m, t=table: m[1] + t + m[2], text)
        if found != 1:
            raise ValueError(f"config/README.md has no place for the keys of {name}")
    return text


def schemas() -> dict[str, str]:
    """Return the JSON schema of each kind of configuration file, by the name of its file."""
    return {f"{kind}.json": editor_schema(schema, kind) for kind, schema in KINDS.items()}


def main() -> None:
    """Write config/README.md with new tables, and the JSON schemas."""
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")
    EDITORS.mkdir(exist_ok=True)
    for name, text in schemas().items():
        (EDITORS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
