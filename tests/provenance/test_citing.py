"""Files that describe the project for citation agree; the artifact's page names existing claims."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest
import yaml

from tcpgoodput.models.references import fields_of
from tcpgoodput.project.manifest import CELLS, read_contents
from tests import shipped
from tests.folders import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

NAMED = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {"name": {"type": "string", "minLength": 1}},
}
PERSON = {
    "type": "object",
    "additionalProperties": False,
    "required": ["family-names"],
    "properties": {key: {"type": "string"} for key in ("family-names", "given-names")},
}
PLACES = ("journal", "volume", "issue", "start", "end", "collection-title")
AUTHORS = {
    "type": "array",
    "minItems": 1,
    "uniqueItems": True,
    "items": {"anyOf": [NAMED, PERSON]},
}

CITATION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["cff-version", "message", "title", "authors"],
    "properties": {
        "cff-version": {"const": "1.2.0"},
        "message": {"type": "string", "minLength": 1},
        "type": {"enum": ["software", "dataset"]},
        "title": {"type": "string", "minLength": 1},
        "version": {"type": ["string", "number"]},
        "date-released": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
        "abstract": {"type": "string", "minLength": 1},
        "keywords": {"type": "array", "minItems": 1, "items": {"type": "string"}},
        "license": {"type": "string"},
        "authors": AUTHORS,
        "references": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["type", "title", "authors"],
                "properties": {
                    "type": {"enum": ["article", "blog", "conference-paper", "report"]},
                    "title": {"type": "string", "minLength": 1},
                    "authors": AUTHORS,
                    "year": {"type": "string", "pattern": r"^\d{4}$"},
                    "date-published": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
                    "doi": {"type": "string", "pattern": r"^10\.\d{4,9}/\S+$"},
                    **{key: {"type": "string"} for key in PLACES},
                    **dict.fromkeys(("conference", "institution"), NAMED),
                },
            },
        },
    },
}
"""JSON schema of those keys of the Citation File Format, version 1.2.0, that CITATION.cff uses."""

CLAIM = re.compile(
    r"^\| [^|]+ \| `(\w+)` `([\w-]+)` `(\w+)` \| `?(\w+)`? \| `\./reproduce ([^`]+)` "
    r"\| (\d+) \| (\w+): (\S+) \((.*)\) \|$",
    re.MULTILINE,
)


def citation() -> dict[str, Any]:
    # BaseLoader does not convert dates, which the schema expects as text.
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    return yaml.load(text, Loader=yaml.BaseLoader)


def described(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((ROOT / name).read_text(encoding="utf-8"))
    return content


def test_citation_file_matches_its_schema() -> None:
    jsonschema.validate(citation(), CITATION)


def test_metadata_files_agree_on_title_and_version() -> None:
    cited, meta, deposit = citation(), described("codemeta.json"), described(".zenodo.json")
    assert cited["title"] == meta["name"] == deposit["title"]
    assert cited["version"] == meta["version"] == deposit["version"] == PROJECT["version"]
    assert cited["date-released"] == meta["datePublished"] == deposit["publication_date"]
    assert meta["description"] == deposit["description"] == PROJECT["description"]
    assert meta["license"].endswith(f"/{PROJECT['license']}")
    assert deposit["license"] == cited["license"].lower() == PROJECT["license"].lower()
    assert cited["abstract"] == PROJECT["description"]
    assert cited["keywords"] == meta["keywords"] == deposit["keywords"]
    authors = [[a["name"] for a in people] for people in (cited["authors"], meta["author"])]
    assert authors[0] == authors[1] == [a["name"] for a in deposit["creators"]]
    assert PROJECT["requires-python"] in meta["runtimePlatform"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[(\d.*)\] - (.*)$", changes, re.MULTILINE)
    assert released[0] == (cited["version"], cited["date-released"])


def test_pages_and_paper_have_the_same_title() -> None:
    title = citation()["title"]
    for page in ("README.md", "docs/index.md"):
        first, *_ = (ROOT / page).read_text(encoding="utf-8").splitlines()
        assert first == f"# {title}", page
    assert f"{{{title}}}" in (ROOT / "paper" / "report.tex").read_text(encoding="utf-8")


def test_the_bibtex_entry_of_the_readme_equals_the_citation() -> None:
    cited, text = citation(), (ROOT / "README.md").read_text(encoding="utf-8")
    entry = text.partition("```bibtex")[2].partition("```")[0]
    assert entry.strip().startswith("@misc{tcpgoodput,")
    stated = {name: re.sub(r"[{}]", "", text) for name, text in fields_of(entry).items()}
    assert stated == {
        "author": cited["authors"][0]["name"],
        "title": cited["title"],
        "howpublished": f"Software, version {cited['version']}",
        "year": cited["date-released"][:4],
    }


@pytest.mark.skipif(not shutil.which("bibtex"), reason="needs bibtex")
@pytest.mark.parametrize("style", ["plain", "ieeetr", "abbrv"])
def test_bibtex_prints_the_entry_of_the_readme_with_version_and_capitals(
    style: str, tmp_path: Path
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (tmp_path / "own.bib").write_text(text.partition("```bibtex")[2].partition("```")[0])
    aux = [r"\relax", r"\citation{tcpgoodput}", r"\bibdata{own}", rf"\bibstyle{{{style}}}", ""]
    (tmp_path / "a.aux").write_text("\n".join(aux))
    run = subprocess.run(["bibtex", "a"], cwd=tmp_path, capture_output=True, text=True)
    if f"I couldn't open style file {style}" in run.stdout:
        pytest.skip(f"no style {style}")
    assert run.returncode == 0
    assert "Warning" not in run.stdout
    printed = " ".join((tmp_path / "a.bbl").read_text().split())
    for part in ("{TCP} over wireless links, recomputed", PROJECT["version"], "2026"):
        assert part in printed


def plain(title: str) -> str:
    return re.sub(r"[{}]", "", title).lower()


def test_the_five_studies_are_cited_in_all_metadata() -> None:
    bibliography = (ROOT / "paper" / "references.bib").read_text(encoding="utf-8")
    configuration = shipped.configuration()
    known = dict(re.findall(r"^@\w+\{(\w+),(.*?)^\}", bibliography, re.MULTILINE | re.DOTALL))
    entries = [
        known[source.figures.citation]
        for source in configuration.sources.values()
        if not source.figures.ours
    ]
    titles = [plain(re.search(r"title *= *\{(.*)\}", entry)[1]) for entry in entries]  # type: ignore[index]
    dois = [found for entry in entries for found in re.findall(r"doi *= *\{(.*)\}", entry)]
    references = citation()["references"]
    assert [plain(reference["title"]) for reference in references] == titles
    assert {*dois} <= {reference.get("doi") for reference in references}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    deposit, meta = described(".zenodo.json"), described("codemeta.json")
    for reference, entry, work in zip(
        references, deposit["references"], meta["citation"], strict=True
    ):
        for text in (readme, entry, work["name"]):
            assert plain(reference["title"]) in plain(text)
        if "doi" in reference:
            assert reference["doi"] in readme
            assert entry.endswith(f"doi:{reference['doi']}")
            assert work["identifier"] == f"https://doi.org/{reference['doi']}"


def claims() -> list[tuple[str, ...]]:
    found = CLAIM.findall((ROOT / "ARTIFACT.md").read_text(encoding="utf-8"))
    assert len(found) >= 10
    return found


def test_claims_of_the_artifact_page_are_configured() -> None:
    configuration = shipped.configuration()
    result = claims()
    text = (ROOT / "ARTIFACT.md").read_text(encoding="utf-8")
    table = text.partition("## Claims")[2].partition("## Badges")[0]
    assert len(result) == table.count("\n| ") - 1  # the table's rows without its heading
    published = {n for n, s in configuration.sources.items() if not s.figures.ours}
    assert {source for source, *_ in result} == published
    for source, name, evidence, figure, target, *_ in result:
        claim = next(c for c in configuration.claims[source].claims if c.id == name)
        assert evidence in claim.model_dump(mode="json", by_alias=True)["data"], name
        if figure != "errata":
            assert figure in configuration.sources[source].figures.figures
            assert target == f"figures/{source}/{figure}.pdf"
        else:
            assert target == "results/errata.csv"


def test_expected_verdicts_of_the_artifact_page_equal_those_of_the_reference() -> None:
    cells = read_contents(ROOT / "data" / "reference" / CELLS, ["results/claims.csv"])
    table = pd.DataFrame(cells["results/claims.csv"]).astype(str)
    rows = table.set_index(["source", "id", "evidence"])
    for source, name, evidence, _, _, _, *expected in claims():
        row = rows.loc[(source, name, evidence)]
        assert [row["verdict"], row["value"], row["bound"]] == expected, name


def test_configuration_named_by_the_artifact_page_exists() -> None:
    text = (ROOT / "ARTIFACT.md").read_text(encoding="utf-8")
    for name in re.findall(r"config/[\w/.-]+\.yaml", text):
        assert Path(ROOT / name).is_file(), name
