"""The manifest of a run: its output files with digests, what they say, and the run's origin.

Tables, pictures, notebooks and the report are output files and called published; intermediate
results are not. The manifest contains neither times nor paths of the machine. The same
configuration, code and packages give the same bytes.

Two runs are compared by what their files say: the cells of tables, and the words of notebooks and
LaTeX parts. The Parquet file beside a manifest contains them, so that the files of the other run
are not needed.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from tcpgoodput.configuration import refused
from tcpgoodput.storage import write_parquet


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


VERSION: Literal[1] = 1
NAME = "manifest.json"

OWN = Path("results") / NAME
"""Path of a run's manifest, relative to the folder of the run."""

REFERENCE = Path("data/reference") / NAME
"""Path of the manifest of the reference results."""

KINDS = (".csv", ".html", ".ipynb", ".pdf", ".png", ".tex")
"""Suffixes of the files that the manifest lists; files with other suffixes are intermediate
results. LaTeX parts contain all numbers that the report prints, with their printed digits."""

DATAPACKAGE = "datapackage.json"
"""Name of the file next to the manifest with the meaning of the tables' columns."""

CELLS = "manifest.parquet"
"""Name of the file next to the manifest with the cells of all tables of the run, and the words of
its notebooks and LaTeX parts. With this file, two runs can be compared without the files."""


def _inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts:
        raise ValueError("is not the path of a file within a run")
    return path


Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Within = Annotated[str, AfterValidator(_inside)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Published(_Record):
    """An output file of a run: path, digest, size in bytes, and the rule of the workflow for it."""

    path: Within
    sha256: Sha256
    size: int
    rule: str


class Origin(_Record):
    """Everything that determines the results of a run: settings, code and packages."""

    version: str
    run: Annotated[str, Field(pattern=r"^[\w-]+$")] | None
    precision: str
    equations: str
    seed: int
    configuration: Sha256
    code: dict[str, Sha256]
    modules: dict[str, str]
    packages: dict[str, str]


class Manifest(_Record):
    """All output files of a run, and their origin: settings, code and packages."""

    manifest: Literal[1] = VERSION
    origin: Origin
    python: str
    processor: str = ""
    """Family of the processor; empty in manifests of releases up to 2.6."""
    cells: Sha256
    files: list[Published]

    @property
    def rules(self) -> set[str]:
        """The rules of the workflow that made the run's output files."""
        return {file.rule for file in self.files}


def different_origins(reference: Manifest, other: Manifest) -> list[str]:
    """Return texts that name the differences between the origins of two runs.

    Such differences (settings, code, Python or packages) may change the results.
    """
    before, after = reference.origin, other.origin
    found = [
        f"{name} ({getattr(after, name)}, not {getattr(before, name)})"
        for name in ("version", "precision", "equations", "seed")
        if getattr(after, name) != getattr(before, name)
    ]
    if after.configuration != before.configuration:
        found.append("configuration")
    common = reference.rules & other.rules
    if after.modules != before.modules or any(
        after.code.get(rule) != before.code.get(rule) for rule in common
    ):
        found.append("code")
    if other.python != reference.python:
        found.append(f"Python ({other.python}, not {reference.python})")
    if reference.processor and other.processor != reference.processor:
        found.append(f"processor ({other.processor}, not {reference.processor})")
    names = sorted({*before.packages, *after.packages})
    packages = [name for name in names if before.packages.get(name) != after.packages.get(name)]
    if packages:
        found.append(f"packages ({', '.join(packages)})")
    return found


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises:
        ConfigurationError: the file does not exist, or is not a manifest.

    """
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        reason = error.strerror or "cannot be read"
        message = (
            f"{reason[:1].lower()}{reason[1:]}; run this in the project's folder, or name a "
            "manifest: results/manifest.json, which a complete run makes, or "
            "data/reference/manifest.json, with which `tcpgoodput verify` compares"
        )
        raise refused(path, "", message) from None
    except ValidationError as error:
        first = error.errors()[0]
        reason = "" if first["type"] == "json_invalid" else f" ({first['msg'].lower()})"
        message = f"is not a manifest of version {VERSION}{reason}; a run writes {OWN}"
        raise refused(path, ".".join(map(str, first["loc"])), message) from None


SCHEMA = pa.schema(
    [("file", pa.string()), ("column", pa.string()), ("cells", pa.list_(pa.string()))]
)

Content = dict[str, list[str]]
"""The cells of a table by column; for a notebook the words by cell, for a text by line."""

NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")


def read_csv(path: Path) -> Content:
    """Read a CSV table; missing cells of a row are empty, and surplus cells are ignored."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            heading, *rows = list(csv.reader(file)) or [[]]
    except csv.Error as error:
        raise ValueError(str(error)) from None
    return {
        name: [row[position] if position < len(row) else "" for row in rows]
        for position, name in enumerate(heading)
    }


def words_of(text: str) -> list[str]:
    """Return the numbers of a text, and the parts between them without surplus blanks."""
    parts = (" ".join(part.split()) for part in NUMBER.split(text))
    return [part for part in parts if part]


def read_notebook(path: Path) -> Content:
    """Read the words that the cells of an executed notebook print."""
    try:
        cells = json.loads(path.read_bytes())["cells"]
        outputs = [cell.get("outputs", []) for cell in cells]
        texts = ["\n".join(map(_printed, every)) for every in outputs]
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"is not a notebook: {error}") from None
    return {f"cell {n}": words_of(text) for n, text in enumerate(texts, 1) if text}


def _printed(output: dict[str, object]) -> str:
    """Return the plain text of a cell's output; a picture's is a name without numbers."""
    data = output.get("data", {})
    text = output.get("text", data.get("text/plain", "") if isinstance(data, dict) else "")
    return text if isinstance(text, str) else "".join(map(str, text or []))  # type: ignore[call-overload]


def read_text(path: Path) -> Content:
    """Read the words of a text, line by line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {f"line {n}": words_of(line) for n, line in enumerate(lines, 1)}


READERS: dict[str, Callable[[Path], Content]] = {
    ".csv": read_csv,
    ".ipynb": read_notebook,
    ".tex": read_text,
}
"""For each suffix of files that are compared by what they say: the function that reads them."""


def is_readable(path: str) -> bool:
    """Return whether a file is compared by what it says; a picture is not."""
    return Path(path).suffix in READERS


def read_content(path: Path) -> Content:
    """Read what a file of a run says."""
    return READERS[path.suffix](path)


def write_contents(files: Iterable[str], root: Path, path: Path) -> None:
    """Write what some files say to one Parquet file, with a row for each column, cell or line."""
    found = [(f, column, cells) for f in files for column, cells in read_content(root / f).items()]
    columns = [list(part) for part in zip(*found, strict=True)] or [[], [], []]
    table = pa.table(dict(zip(SCHEMA.names, columns, strict=True)), schema=SCHEMA)
    write_parquet(table, path)


def read_contents(path: Path, files: Iterable[str]) -> dict[str, Content]:
    """Read what some files say from a file that `write_contents` has written.

    The content of a file without a row is empty.
    """
    names = list(files)
    filters = [("file", "in", names)] if names else None
    contents: dict[str, Content] = {name: {} for name in names}
    for row in _rows(path, page_checksum_verification=True, filters=filters):
        if row["file"] in contents:
            contents[row["file"]][row["column"]] = row["cells"]
    return contents


def read_columns(path: Path) -> dict[str, list[str]]:
    """Read the names of the columns of each file from a file that `write_contents` has written."""
    columns: dict[str, list[str]] = {}
    for row in _rows(path, columns=["file", "column"]):
        columns.setdefault(row["file"], []).append(row["column"])
    return columns


def _rows(path: Path, **options: Any) -> list[dict[str, Any]]:
    try:
        return pq.read_table(path, **options).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise refused(path, "", f"cannot be read: {str(error).splitlines()[0]}") from None
