"""A run's RO-Crate is complete, readable by other tools, and conforms to its profiles."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from rocrate.rocrate import ROCrate

from tcpgoodput.project import crate
from tcpgoodput.project.manifest import read_manifest, sha256_of
from tests.folders import ROOT
from tests.provenance.test_verify import Tree

VALIDATOR = ROOT / ".venv/validator/bin"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"

ANSWER = """
import io, sys
from pathlib import Path
from requests.adapters import HTTPAdapter
from requests_cache import CachedSession
from urllib3 import HTTPResponse

class Known(HTTPAdapter):
    def send(self, request, **_):
        raw = HTTPResponse(io.BytesIO(Path(sys.argv[2]).read_bytes()), status=200,
                           headers={"Content-Type": "application/ld+json"}, preload_content=False)
        return self.build_response(request, raw)

session = CachedSession(sys.argv[3], backend="sqlite", expire_after=-1)
session.mount("https://", Known())
session.get(sys.argv[1]).raise_for_status()
"""
"""Python script that puts a document into the crate validator's HTTP cache, so that validation
needs no network. Arguments: the document's URL, its file, the cache."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = Tree(tmp_path_factory.mktemp("run"))
    folder = tree.root / "results/crate"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        crate.work(argparse.Namespace(manifest=tree.manifest, root=tree.root, crate=folder))
    return folder


def test_the_crate_contains_the_files_of_the_manifest(made: Path) -> None:
    listed = {file.path for file in read_manifest(made / "results/manifest.json").files}
    beside = {f"results/{name}" for name in ("manifest.json", "manifest.parquet")}
    run = ROCrate(made).get("#run")
    assert {file.id for file in run["result"]} == listed | beside | {"results/datapackage.json"}
    assert run["instrument"].id == "workflow/Snakefile"
    values = {entity["name"]: entity["value"] for entity in run["object"] if entity.id[0] == "#"}
    assert values == {"precision": "paper", "equations": "corrected", "seed": "1"}


def test_every_file_of_the_crate_has_its_checksum(made: Path) -> None:
    graph = json.loads((made / "ro-crate-metadata.json").read_text(encoding="utf-8"))["@graph"]
    entities = {entity["@id"]: entity for entity in graph}
    parts = [part["@id"] for part in entities["./"]["hasPart"]]
    there = {str(f.relative_to(made)) for f in made.rglob("*") if f.is_file()}
    assert there == {*parts, "ro-crate-metadata.json"}
    for part in parts:
        if part != "workflow/Snakefile":
            assert entities[part]["sha256"] == sha256_of(made / part), part


@pytest.mark.skipif(not VALIDATOR.is_dir(), reason="./reproduce test installs roc-validator")
def test_the_crate_satisfies_its_profiles(made: Path, tmp_path: Path) -> None:
    """The run's crate satisfies the profiles of Workflow Run RO-Crate.

    The validator needs the JSON-LD context of RO-Crate 1.1. It is made from the newer one in the
    package `rocrate`: only the address of the terms of Bioschemas differs.
    """
    latest = files("rocrate").joinpath("data/ro-crate.jsonld").read_text(encoding="utf-8")
    context, cache = tmp_path / "context.jsonld", tmp_path / "cache"
    text = latest.replace("bioschemas.org/terms/", "bioschemas.org/")
    context.write_text(text, encoding="utf-8")
    environment = {**os.environ, "HOME": str(tmp_path)}
    subprocess.run(
        [VALIDATOR / "python", "-c", ANSWER, CONTEXT, context, cache], check=True, env=environment
    )
    options = ["--profile-identifier", "workflow-run-crate", "--requirement-severity", "required"]
    options += ["--offline", "--cache-path", str(cache), "--no-paging", "--verbose"]
    command = [VALIDATOR / "rocrate-validator", "-y", "validate", *options]

    def validated(folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, folder], capture_output=True, text=True, env=environment)

    result = validated(made)
    assert result.returncode == 0, result.stdout + result.stderr
    broken = tmp_path / "broken"
    shutil.copytree(made, broken)
    described = broken / "ro-crate-metadata.json"
    text = described.read_text(encoding="utf-8").replace("ComputationalWorkflow", "Thing")
    described.write_text(text, encoding="utf-8")
    assert validated(broken).returncode == 1
