"""Generated files are up to date, the report has no hand-typed results, imported names exist."""

from __future__ import annotations

import ast
import pkgutil
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tcpgoodput.models import CURVES, ERRATA, MODELS, TABLES
from tests import shipped

ROOT = Path(__file__).parents[1]
CODE = [*ROOT.glob("src/**/*.py"), *ROOT.glob("notebooks/*.ipynb")]
FIGURE_FILES = sorted(ROOT.glob("config/figures/*.yaml"))


def names_in_configuration() -> set[str]:
    names: set[str] = set()
    for file in FIGURE_FILES:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
        names |= {*data["figures"], *data["scenarios"]}
    return names


def test_the_code_contains_no_name_of_a_figure_or_scenario() -> None:
    names = names_in_configuration()
    assert "fig01" in names
    # Other names may be ordinary words, so only names with a digit or a hyphen are searched for.
    distinctive = {n for n in names if re.search(r"\d", n) or "-" in n}
    pattern = re.compile(r"[\"'/`](" + "|".join(map(re.escape, sorted(distinctive))) + r")[\"'/.`]")
    for file in CODE:
        found = pattern.findall(file.read_text(encoding="utf-8"))
        allowed = {"fig06", "table1"} if file.name == "floats.py" else set()
        assert set(found) <= allowed, f"{file} names {found}"


def test_five_studies_are_published_and_every_source_has_its_notebook_and_section() -> None:
    sources = shipped.configuration().sources.values()
    assert sum(not source.figures.ours for source in sources) == 5
    for name, source in shipped.configuration().sources.items():
        notebook, section = ROOT / f"notebooks/{name}.ipynb", ROOT / f"paper/sections/{name}.tex"
        assert source.figures.ours or notebook.is_file(), notebook
        assert section.is_file(), section


@pytest.mark.parametrize(
    ("source", "figures", "tables"),
    [
        ("delay_spikes", range(1, 12), range(1, 2)),
        ("packet_trains", range(1, 11), range(1, 4)),
        ("mathis", range(1, 3), []),
        ("handoffs", range(1, 16), []),
        ("variable_capacity", range(1, 11), []),
    ],
)
def test_every_figure_and_table_of_every_source_is_configured(
    source: str, figures: range, tables: range
) -> None:
    file = ROOT / f"config/figures/{source}.yaml"
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    wanted = {f"fig{n:02d}" for n in figures} | {f"table{n}" for n in tables}
    assert wanted <= data["figures"].keys(), file


def typed(text: str) -> list[str]:
    """Return the decimals, percentages and rates that a text of the report has as numbers."""
    gap = r"(?:\\,|~|\s)*"
    units = r"(?:\\%|kbit/s|Mbit/s|Mb/s|kB/s|MB/s)"
    decimal = re.compile(rf"(?<![\w.{{])\d+\.\d+|\d{gap}{units}")
    text = re.sub(r"(?<!\\)%.*", "", text).replace(r"95\,\% confidence", "")
    # The parameters α and β of a loss channel are no results, so they may be typed.
    return decimal.findall(re.sub(r"\\(alpha|beta) = [\d.]+", "", text))


def test_the_report_has_no_typed_result() -> None:
    """The report's text may contain decimals, percentages and rates only as generated macros."""
    for file in [*ROOT.glob("paper/sections/*.tex"), ROOT / "paper" / "report.tex"]:
        assert typed(file.read_text(encoding="utf-8")) == [], file.name


@pytest.mark.parametrize("text", ["about 0.31", r"a gain of 7\,\%", r"$G = 2.5$", "40~kbit/s"])
def test_a_typed_result_is_found(text: str) -> None:
    assert typed(text)


def test_every_imported_name_of_the_package_exists() -> None:
    """Every name that the code imports from the package exists.

    This includes imports within functions, and benchmarks, which no other test runs.
    """
    for file in [*ROOT.glob("src/**/*.py"), *ROOT.glob("benchmarks/*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tcpgoodput"):
                for alias in node.names:
                    try:
                        pkgutil.resolve_name(f"{node.module}.{alias.name}")
                    except (ImportError, AttributeError):
                        pytest.fail(f"{file.name}:{node.lineno}: {alias.name}")


def test_every_citation_is_in_the_references() -> None:
    bib = (ROOT / "paper" / "references.bib").read_text(encoding="utf-8")
    keys = set(re.findall(r"@\w+\{([^,\s]+),", bib))
    cited = {model.citation for model in MODELS.values()}
    cited |= {yaml.safe_load(f.read_text(encoding="utf-8"))["citation"] for f in FIGURE_FILES}
    for file in ROOT.glob("paper/sections/*.tex"):
        for group in re.findall(r"\\cite[tp]?\{([^}]*)\}", file.read_text(encoding="utf-8")):
            cited |= {key.strip() for key in group.split(",")}
    assert cited <= keys, f"paper/references.bib lacks {cited - keys}"


def test_every_engine_has_its_own_colour() -> None:
    style = shipped.configuration().style
    colours = [look.colour for look in style.palette.engines.values()]
    assert len(set(colours)) == len(colours), "two engines have one colour in config/style.yaml"


def test_every_erratum_changes_its_number() -> None:
    assert len(ERRATA.names()) > 20
    for name in ERRATA.names():
        effect = ERRATA[name].effect()
        if effect.printed is not None:
            difference = abs(effect.printed - effect.corrected)
            assert difference > 1e-9 * abs(effect.corrected), name


def test_everything_registered_documents_itself() -> None:
    for register in (CURVES, TABLES):
        for name in register.names():
            assert register[name].__doc__, name


def test_generated_documentation_is_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "workflow" / "scripts" / "document_configuration.py"))
    text = script["README"].read_text(encoding="utf-8")
    command = "python workflow/scripts/document_configuration.py"
    assert script["readme"](text) == text, f"config/README.md is stale; run: {command}"


@pytest.mark.parametrize(
    "command",
    [
        ["lint-imports", "--no-cache"],
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["snakefmt", "--check", "Snakefile", "workflow"],
        ["nbstripout", "--verify", *sorted(str(p) for p in ROOT.glob("notebooks/*.ipynb"))],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_the_linters_report_nothing(command: list[str]) -> None:
    tool = Path(sys.executable).parent / command[0]
    run = subprocess.run([tool, *command[1:]], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_no_file_names_a_path_or_index_outside_the_project() -> None:
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout
    if not files:
        pytest.skip("not a git clone")
    pattern = re.compile(
        r"/(?:work|farm)/|pypi\.org|files\.pythonhosted|registry\.npmjs|proxy\.golang"
    )
    for name in files.split():
        if name.startswith("tests/"):
            continue
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        assert not pattern.search(text), f"{name}: {pattern.search(text)}"
