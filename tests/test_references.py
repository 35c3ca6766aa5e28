"""Publications cited by models and figures are in the project's BibTeX file or in the model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.models import MODELS
from tcpgoodput.models.outside import _forget, _module_name, add_file
from tcpgoodput.models.references import (
    entries_of,
    fields_of,
    plain_text,
    reference,
    references_of,
    unprintable,
)
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.studies.files import load_source
from tcpgoodput.style import load_style
from tests import worked_example

ROOT = Path(__file__).parents[1]
REFERENCES = references_of(ROOT / "config" / "config.yaml")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """Yield the path for a file with a model, and unregister the model after the test."""
    path = tmp_path / "tfrc.py"
    yield path
    _forget(_module_name(path))


def complaints(file: Path, old: str = "", new: str = "") -> list[str]:
    text = worked_example.code()
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    add_file(file, ValueError)  # type: ignore[arg-type]
    return [str(problem) for problem in unprintable(MODELS.values(), REFERENCES)]


def test_shipped_models_and_the_example_have_valid_citations(file: Path) -> None:
    assert complaints(file) == []
    assert REFERENCES is not None
    assert {"padhye1998", "lassila2008"} <= set(REFERENCES)


@pytest.mark.parametrize(
    ("old", "new", "attribute", "message"),
    [
        (
            "bibtex = ",
            "was = ",
            "citation",
            "no entry of paper/references.bib is called 'floyd2000'",
        ),
        (
            "{floyd2000,",
            "{floyd2001,",
            "bibtex",
            "has the key 'floyd2001', citation is 'floyd2000'",
        ),
        (
            'citation = "floyd2000"\n    bibtex = r"""',
            'citation = "padhye1988"\n    was = """',
            "citation",
            "did you mean padhye1998?; a model may bring its own as the attribute bibtex",
        ),
        ("year = {2000}", "year = {2000", "bibtex", "must be one entry, @type{key, …}"),
        ("@inproceedings{floyd2000,", "", "bibtex", "must be one entry, @type{key, …}"),
        ('title = "TFRC', 'title = "$TFRC', "title", "has a $ without its partner"),
        ('domain = "', r'domain = "$\\input$ ', "domain", r"uses \input, which is not among"),
    ],
)
def test_text_that_latex_cannot_typeset_is_reported(
    file: Path, old: str, new: str, attribute: str, message: str
) -> None:
    [found] = complaints(file, old, new)
    lines = file.read_text(encoding="utf-8").splitlines()
    line = next(i for i, text in enumerate(lines, 1) if text.split()[:1] == [attribute])
    assert found.startswith(f"{file}:{line}: tfrc: {attribute}: ")
    assert message in found


def test_check_refuses_an_unknown_citation(tmp_path: Path, file: Path) -> None:
    complaints(file, 'citation = "floyd2000"\n    bibtex = r"""', 'citation = "x"\n    was = """')
    settings = tmp_path / "config.yaml"
    settings.write_text(
        f"sources: [mathis]\nfigures: {ROOT}/config/test/figures\nstyle: {ROOT}/config/style.yaml\n"
        f"models: [tfrc.py]\n"
    )
    with pytest.raises(ConfigurationError, match=r"tfrc: citation: no entry of "):
        load_configuration(settings)


def test_an_unknown_citation_of_a_study_is_refused(tmp_path: Path) -> None:
    text = (ROOT / "config/test/figures/mathis.yaml").read_text(encoding="utf-8")
    file = tmp_path / "mathis.yaml"
    file.write_text(text.replace("citation: mathisblog", "citation: mathisblock"), encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_source(file, load_style(ROOT / "config/style.yaml"), REFERENCES)
    [problem] = caught.value.problems
    assert (problem.line, problem.key) == (4, "citation")
    assert problem.message.endswith("is called 'mathisblock'; did you mean mathisblog?")


def test_bibtex_entries_are_written_once_and_only_if_needed(file: Path) -> None:
    complaints(file)
    written = entries_of(MODELS.values(), REFERENCES or [])
    assert written.count("@inproceedings{floyd2000,") == written.count("@") == 1
    assert "@" not in entries_of(MODELS.values(), ["floyd2000"])
    assert "@" not in entries_of([MODELS["mathis"]], [])


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ("mathis", ["Computer Communication Review 27(3)", "pages 67–82", "1997"]),
        ("handoffs", ["Corporate R&D, Qualcomm, and Synergy Lab, Virginia Tech"]),
        ("poojary", ["doi:10.1007/s11134-018-9594-x"]),
        ("cubic", ["IETF RFC 9438"]),
        ("variable_capacity.fluid", ["IEEE INFOCOM", "2007", "doi:10.1109/INFCOM.2007.126"]),
    ],
)
def test_a_reference_names_where_the_work_appeared(
    model: str, parts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = str(reference(MODELS[model]))
    assert all(part in inside for part in parts)
    monkeypatch.chdir(tmp_path)
    assert reference(MODELS[model]) == inside


def test_references_are_printed_without_latex(file: Path) -> None:
    complaints(file)
    assert "Widmer, Jörg, Equation-based" in str(reference(MODELS["tfrc"]))
    assert "ACM SIGCOMM, pages 43–56, 2000 (floyd2000)" in str(reference(MODELS["tfrc"]))
    for model in MODELS.values():
        assert not set("{}\\") & set(str(reference(model)))


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"J{\"o}rg", "Jörg"),
        (r"J\"org", "Jörg"),
        (r"Fran\c{c}ois", "François"),
        (r"Erd\H{o}s", "Erdős"),
        (r"{\O}ystein", "Øystein"),
        (r"na{\"\i}ve", "naïve"),
        (r"{\'E}cole R\&D~3--4", "École R&D 3–4"),
    ],
)
def test_latex_of_names_becomes_text(latex: str, text: str) -> None:
    assert plain_text(latex) == text


def test_fields_of_an_entry_may_share_a_line_and_have_quotation_marks() -> None:
    entry = '@article{a, author="A, B and {"}C", title = {X {Y}\n  z}, year=2000, pages={1--2}}'
    assert fields_of(entry) == {
        "author": 'A, B and {"}C',
        "title": "X {Y} z",
        "year": "2000",
        "pages": "1--2",
    }


def test_a_study_of_ones_own_needs_no_citation(tmp_path: Path) -> None:
    text = (ROOT / "config/test/figures/mathis.yaml").read_text(encoding="utf-8")
    file = tmp_path / "mathis.yaml"
    file.write_text(text.replace("citation: mathisblog", "ours: true"), encoding="utf-8")
    style = load_style(ROOT / "config/style.yaml")
    assert load_source(file, style, REFERENCES).figures.citation is None
    file.write_text(text.replace("citation: mathisblog", "ours: false"), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"citation: is required, unless .*ours: true"):
        load_source(file, style, REFERENCES)
