"""The manifest of a run: a list of its output files with digests, and the origin of the run.

Tables, pictures, notebooks and the report are output files and called published; intermediate
results are not. The manifest contains neither times nor paths of the machine. The same
configuration, code and packages give the same bytes.
"""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from tcpgoodput.configuration import refused


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


VERSION: Literal[1] = 1
NAME = "manifest.json"

OWN = Path("results") / NAME
"""Path of a run's manifest, relative to the folder of the run."""

REFERENCE = Path("data/reference") / NAME
"""Path of the manifest of the released results."""

KINDS = (".csv", ".html", ".ipynb", ".pdf", ".png", ".tex")
"""Suffixes of the files that the manifest lists; files with other suffixes are intermediate
results. LaTeX parts contain all numbers that the report prints, with their printed digits."""

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
