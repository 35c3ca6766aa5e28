"""An invalid settings file (config.yaml) is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tcpgoodput.cli.explorer.page import presets
from tcpgoodput.comparison.census.files import load_census
from tcpgoodput.configuration import ConfigurationError, read
from tcpgoodput.project.changes import yaml_files
from tcpgoodput.project.settings import (
    RESERVED_NAMES,
    Settings,
    check_document,
    kind_of,
    load_configuration,
    load_settings,
)
from tests import shipped
from tests.folders import ROOT, copy_project

TINY, STYLE = ROOT / "config" / "test", ROOT / "config" / "style.yaml"


def refused(folder: Path, text: str, message: str) -> ConfigurationError:
    """Return the error with which settings with a text, beside a folder `figures`, are refused."""
    (folder / "figures").mkdir(exist_ok=True)
    file = folder / "config.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message) as caught:
        load_configuration(file)
    return caught.value


@pytest.mark.parametrize("name", RESERVED_NAMES)
def test_a_study_with_a_name_used_by_the_workflow_is_refused(tmp_path: Path, name: str) -> None:
    text = f"sources: [{name}]\nstyle: {STYLE}\n"
    refused(tmp_path, text, "the workflow uses this name itself")


def test_the_names_of_other_notebooks_and_sections_are_reserved() -> None:
    """Such a study would take the notebook of a rule, or repeat a section of the report."""
    files = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("paper/sections/*.tex")]
    studies = set(shipped.configuration().sources)
    assert {file.stem for file in files} - studies <= set(RESERVED_NAMES)


def settings_after(folder: Path, **changes: object) -> Settings:
    """Return valid settings after changes."""
    file = folder / "config.yaml"
    file.write_text("sources: [mathis]\ncomparison: mine.yaml\n", encoding="utf-8")
    return load_settings(file, changes)


@pytest.mark.parametrize("run", [2024, "2024"])
def test_a_run_may_be_named_by_a_number(tmp_path: Path, run: object) -> None:
    """Snakemake turns the text after `run=` into a number."""
    assert settings_after(tmp_path, run=run).run == "2024"


@pytest.mark.parametrize("name", ["a #b.yaml", 'it\'s: "a" \\ b.yaml', "[é].yaml", "12"])
def test_a_changed_text_is_taken_as_it_is(tmp_path: Path, name: str) -> None:
    assert settings_after(tmp_path, comparison=name).comparison == name


def test_other_changed_values_keep_their_types(tmp_path: Path) -> None:
    found = settings_after(tmp_path, seed=3, sources=["mathis", "bbr"], comparison="null")
    assert (found.seed, found.sources, found.comparison) == (3, ["mathis", "bbr"], None)
    assert settings_after(tmp_path, comparison=None).comparison is None


def test_a_misspelled_key_does_not_change_the_kind_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("precison: draft\nfigures: figures\nsorces: [mathis]\n", encoding="utf-8")
    assert kind_of(read(file)) == "settings"


@pytest.mark.parametrize("name", ["mathis.yml", "mathis.YAML"])
def test_a_file_with_a_wrong_suffix_is_reported(tmp_path: Path, name: str) -> None:
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / name).touch()
    text = f"sources: [mathis]\nstyle: {STYLE}\n"
    refused(tmp_path, text, f"{name}: is not read: its name must end in")


def test_links_of_an_editor_to_nowhere_are_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Emacs keeps such a link beside a file whose buffer is not saved."""
    copy_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    for folder in {file.parent for file in Path("config").rglob("*.yaml")}:
        for suffix in (".yaml", ".yml"):
            (folder / f".#mathis{suffix}").symlink_to("me@here.4711:1")
    settings = Path("config/test/config.yaml")
    found = load_configuration(settings)
    named = [*yaml_files(found), *(Path(one.document.file) for one in presets(None).values())]
    folders = {file.parent.as_posix() for file in named}
    assert {"config/scenarios", "config/test/figures", "config/test/census"} <= folders
    assert not [file for file in named if file.name.startswith(".")]
    assert "not read" not in check_document(read(settings)).found
    assert load_census(Path("config/test/census/tiny.yaml"))


def test_files_without_a_source_are_reported(tmp_path: Path) -> None:
    """The check lists files of figures, claims and printed numbers that are not read.

    They are not read, because the key `sources` does not name them.
    """
    shutil.copytree(TINY, tmp_path / "tiny")
    file = tmp_path / "tiny" / "config.yaml"
    text = file.read_text(encoding="utf-8").replace("../style.yaml", str(STYLE))
    file.write_text(text, encoding="utf-8")
    assert "not read" not in check_document(read(file)).found
    claims = tmp_path / "tiny" / "claims"
    (claims / "mathis.yaml").rename(claims / "mathys.yaml")
    printed = tmp_path / "tiny" / "printed"
    (printed / "mathis.yaml").rename(printed / "mathys.yaml")
    file.write_text(text.replace(", packet_trains", ""), encoding="utf-8")
    result = check_document(read(file)).found
    assert "0 claims, 0 printed numbers" in result
    assert result.endswith(
        f"not read, for sources does not name them: {tmp_path}/tiny/figures/packet_trains.yaml, "
        f"{claims}/mathys.yaml, {printed}/mathys.yaml"
    )


@pytest.mark.parametrize("key", ["figures", "claims", "printed", "style", "comparison", "census"])
def test_a_missing_file_or_folder_is_reported_with_its_key(tmp_path: Path, key: str) -> None:
    """A misspelt folder of claims or printed numbers is reported, although both are optional."""
    (tmp_path / "wonders").mkdir()
    settings = {"figures": "figures", "style": str(STYLE), key: "wonder"}
    lines = [*(f"{name}: {value}" for name, value in settings.items()), "sources: [mathis]"]
    message = f"{key}: no such file or folder.*mean wonders"
    error = refused(tmp_path, "\n".join(lines), message)
    assert error.problems[0].line == list(settings).index(key) + 1
    (tmp_path / "wonder").symlink_to("gone")
    refused(tmp_path, "\n".join(lines), "wonder; it is a link to gone: remove or correct it")


def test_a_study_whose_file_is_a_link_to_nowhere_is_reported(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "mathis.yaml").symlink_to("gone")
    refused(tmp_path, f"sources: [mathis]\nstyle: {STYLE}\n", "mathis.yaml; it is a link to gone")
