"""Write a run as a Workflow Run RO-Crate: files of the run, the workflow and its execution.

python -m tcpgoodput.project.crate MANIFEST ROOT CRATE
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.project.manifest import (
    CELLS,
    DATAPACKAGE,
    Manifest,
    Origin,
    read_manifest,
    sha256_of,
)

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
BIOSCHEMAS = "https://bioschemas.org/profiles"
FORMAL_PARAMETER = f"{BIOSCHEMAS}/FormalParameter/1.0-RELEASE"
COMPUTATIONAL_WORKFLOW = f"{BIOSCHEMAS}/ComputationalWorkflow/1.0-RELEASE"
LICENSE = "https://spdx.org/licenses/MIT"

WORKFLOW = Path("workflow/Snakefile")
SOURCES = ("workflow/rules/*.smk", "config/**/*.yaml", "README.md", "requirements.lock")
"""Patterns of the project's files that the crate contains in addition to the Snakefile."""

KINDS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
}
SETTINGS = {"precision": "Text", "equations": "Text", "seed": "Integer"}
"""Settings of a run that influence its results, with the names of their types in RO-Crate."""


def work(arguments: argparse.Namespace) -> None:
    """Write the RO-Crate of a run: a folder with copies of its files and their description."""
    manifest = read_manifest(arguments.manifest)
    crate = _crate(manifest, arguments.manifest, arguments.root)
    crate.write(arguments.crate)


def _crate(manifest: Manifest, file: Path, root: Path) -> ROCrate:
    cited = yaml.load(Path("CITATION.cff").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    crate = ROCrate(version="1.1")
    crate.name = f"A run of {cited['title']}"
    crate.description = "Published files of a run, the workflow that made them, and its settings."
    crate.datePublished = _made(file)
    license_ = ContextEntity(crate, LICENSE, {"@type": "CreativeWork", "name": "MIT License"})
    crate.license = crate.add(license_)
    crate.root_dataset["conformsTo"] = [
        crate.add(ContextEntity(crate, address, {"@type": "CreativeWork", "name": name}))
        for address, name in PROFILES.items()
    ]
    for address, profile in zip(PROFILES, crate.root_dataset["conformsTo"], strict=True):
        profile["version"] = address.rpartition("/")[2]
    authors = [
        crate.add(
            ContextEntity(crate, f"#author-{n}", {"@type": "Organization", "name": author["name"]})
        )
        for n, author in enumerate(cited["authors"], 1)
    ]
    crate.root_dataset["author"] = authors if len(authors) > 1 else authors[0]
    workflow = crate.add_workflow(
        WORKFLOW,
        WORKFLOW.as_posix(),
        main=True,
        lang="snakemake",
        lang_version=version("snakemake"),
        properties={
            "name": cited["title"],
            "version": manifest.origin.version,
            "license": {"@id": LICENSE},
            "conformsTo": {"@id": COMPUTATIONAL_WORKFLOW},
            "encodingFormat": "text/plain",
        },
    )
    sources = [
        _add(crate, path, path)
        for pattern in SOURCES
        for path in sorted(Path().glob(pattern))
        if path != WORKFLOW
    ]
    next(source for source in sources if source.id == "README.md")["about"] = crate.root_dataset
    workflow["creator"] = crate.root_dataset["author"]
    settings = _settings(crate, workflow, manifest.origin)
    records = [file, file.with_name(CELLS), file.with_name(DATAPACKAGE)]
    published = [_add(crate, root / entry.path, Path(entry.path)) for entry in manifest.files]
    published += [_add(crate, path, path.relative_to(root)) for path in records]
    configured = [source for source in sources if source.id.startswith("config/")]
    action = {
        "@type": "CreateAction",
        "name": f"Run of the workflow {manifest.origin.run or ''}".rstrip(),
        "description": "Made the published files from the configuration.",
        "instrument": {"@id": workflow.id},
        "object": [{"@id": entity.id} for entity in (*configured, *settings)],
        "result": [{"@id": entity.id} for entity in published],
        "endTime": _made(file),
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }
    run = crate.add(ContextEntity(crate, "#run", action))
    crate.root_dataset["mentions"] = run
    return crate


def _add(crate: ROCrate, source: Path, name: Path) -> Any:
    properties = {
        "name": name.as_posix(),
        "sha256": sha256_of(source),
        "contentSize": str(source.stat().st_size),
        "encodingFormat": KINDS.get(name.suffix, "text/plain"),
    }
    return crate.add_file(source, name.as_posix(), properties=properties)


def _settings(crate: ROCrate, workflow: Any, origin: Origin) -> list[Any]:
    """Add the settings of the run to the crate as inputs of the workflow; return their values."""
    values = []
    for name, kind in SETTINGS.items():
        formal = {
            "@type": "FormalParameter",
            "name": name,
            "additionalType": kind,
            "conformsTo": {"@id": FORMAL_PARAMETER},
        }
        parameter = crate.add(ContextEntity(crate, f"#{name}", formal))
        workflow.append_to("input", parameter)
        entity = {
            "@type": "PropertyValue",
            "name": name,
            "value": str(getattr(origin, name)),
            "exampleOfWork": {"@id": parameter.id},
        }
        values.append(crate.add(ContextEntity(crate, f"#{name}-value", entity)))
        parameter["workExample"] = {"@id": f"#{name}-value"}
    for address in (FORMAL_PARAMETER, COMPUTATIONAL_WORKFLOW):
        name, release = address.split("/")[-2:]
        about = {"@type": "CreativeWork", "name": name, "version": release}
        crate.add(ContextEntity(crate, address, about))
    return values


def _made(file: Path) -> str:
    """Return the time of a file's last change; for a run's manifest this is the end of the run."""
    return datetime.fromtimestamp(int(file.stat().st_mtime), UTC).isoformat()


if __name__ == "__main__":
    sys.exit(run_job(job_parser(__spec__.name, "manifest", "root", "crate"), work))
