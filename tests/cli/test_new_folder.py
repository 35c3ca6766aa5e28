"""`tcpgoodput new FOLDER`: a folder for an analysis of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.cli.app import run
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.scenario import load_scenario
from tests.folders import copy_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy_project(tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def test_the_folder_is_a_valid_configuration_of_its_link(project: Path) -> None:
    assert run(["new", "sub/my_wifi", "--rate", "50M", "--rtt", "20ms", "--loss", "1%"]) == 0
    found = load_configuration(project / "sub/my_wifi/config.yaml")
    assert list(found.sources) == ["my_wifi"]
    assert found.settings.run_name == "my_wifi"
    in_figures = found.sources["my_wifi"].scenarios["link"]
    in_folder = load_scenario(project / "sub/my_wifi/scenarios/link.yaml")
    for link in (in_figures, in_folder):
        assert link.path.rate_bps == 50e6
        assert link.propagation_rtt_s == pytest.approx(0.02)
        assert link.loss.probability == 0.01  # type: ignore[union-attr]
    schemas = (project / "sub/my_wifi/figures/my_wifi.yaml").read_text().splitlines()[0]
    assert (project / "sub/my_wifi/figures" / schemas.partition("=")[2]).is_file()


@pytest.mark.parametrize(
    ("folder", "reason"),
    [
        ("My-Wifi", "is no name for an analysis: use a to z, 0 to 9 and _"),
        ("mathis", "is the name of one of the project's studies: use another, such as my_mathis"),
        ("inputs", "is a name that the workflow uses itself: use another, such as my_inputs"),
        ("simulate", "is a name that the workflow uses itself: use another"),
        ("kernel", "is a name that the workflow uses itself: use another"),
        ("draft", "is the name of one of the project's runs: use another, such as my_draft"),
        ("test", "is the name of one of the project's runs: use another, such as my_test"),
        ("config", "exists already: choose another folder, or remove it first"),
        ("Snakefile", "is no name for an analysis"),
        ("../elsewhere", "is in no project: make it in the folder of the project"),
    ],
)
def test_a_refused_folder_is_named_and_nothing_is_written(
    folder: str, reason: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(project.parent.rglob("*"))
    assert run(["new", folder]) == 2
    assert capsys.readouterr().err.startswith(f"{folder}: {reason}")
    assert sorted(project.parent.rglob("*")) == before


TRACED = "capacity={process: trace, file: traces/link.csv}"


@pytest.fixture
def trace(project: Path) -> Path:
    file = project / "traces/link.csv"
    file.parent.mkdir()
    file.write_text("time_s,capacity_bps\n0,2e6\n1,1e6\n", encoding="utf-8")
    return file


def test_the_files_of_the_folder_name_a_trace_from_their_place(trace: Path) -> None:
    assert run(["new", "sub/my_wifi", "--rate", "2M", "--rtt", "20ms", "--set", TRACED]) == 0
    found = load_configuration("sub/my_wifi/config.yaml").sources["my_wifi"].scenarios["link"]
    for link in (found, load_scenario("sub/my_wifi/scenarios/link.yaml")):
        assert Path(link.capacity.file).samefile(trace)  # type: ignore[union-attr]


def test_a_folder_below_a_symbolic_link_is_valid(trace: Path) -> None:
    (trace.parent / "deep/deeper").mkdir(parents=True)
    Path("short").symlink_to("traces/deep/deeper")
    assert run(["new", "short/my_wifi", "--rate", "2M", "--rtt", "20ms", "--set", TRACED]) == 0
    found = load_configuration("short/my_wifi/config.yaml").sources["my_wifi"].scenarios["link"]
    assert Path(found.capacity.file).samefile(trace)  # type: ignore[union-attr]
    readme = Path("short/my_wifi/README.md").read_text(encoding="utf-8")
    assert "check traces/deep/deeper/my_wifi/config.yaml" in readme


@pytest.mark.parametrize("command", ["show", "new"])
def test_a_printed_scenario_can_be_written_to_any_folder(
    trace: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["new", "--rate", "2M", "--rtt", "20ms", "--set", TRACED]) == 0
    written = trace.parent / "mine.yaml"
    written.write_text(capsys.readouterr().out, encoding="utf-8")
    if command == "show":
        assert run(["show", "traces/mine.yaml"]) == 0
        written.write_text(capsys.readouterr().out, encoding="utf-8")
    assert Path(load_scenario(written).capacity.file).samefile(trace)  # type: ignore[union-attr]


def test_rules_that_do_not_exist_are_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["new", "my_wifi"]) == 0
    settings = Path("my_wifi/config.yaml")
    settings.write_text(settings.read_text().replace("rules.smk", "rule.smk"))
    line = settings.read_text().splitlines().index("custom_rules: [rule.smk]") + 1
    capsys.readouterr()
    assert run(["check", str(settings)]) == 2
    expected = f"my_wifi/config.yaml:{line}: custom_rules[0]: no such file: my_wifi/rule.smk"
    assert capsys.readouterr().err.startswith(expected)
