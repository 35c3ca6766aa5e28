"""Invalid settings are refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tcpgoodput.configuration import ConfigurationError, read
from tcpgoodput.project.settings import TAKEN, check_document, kind_of, load_configuration

TINY = Path(__file__).parents[2] / "config" / "test"
STYLE = Path(__file__).parents[2] / "config" / "style.yaml"


@pytest.mark.parametrize("name", TAKEN)
def test_a_study_cannot_take_the_name_of_what_the_workflow_makes(tmp_path: Path, name: str) -> None:
    (tmp_path / "figures").mkdir()
    file = tmp_path / "config.yaml"
    file.write_text(f"sources: [{name}]\nstyle: {STYLE}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="the workflow uses this name itself"):
        load_configuration(file)


def test_a_slip_in_a_key_does_not_make_settings_something_else(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("precison: draft\nfigures: figures\nsorces: [mathis]\n", encoding="utf-8")
    assert kind_of(read(file)) == "settings"


@pytest.mark.parametrize("name", ["mathis.yml", "mathis.YAML"])
def test_a_file_that_would_be_passed_over_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / name).touch()
    file = tmp_path / "config.yaml"
    file.write_text(f"sources: [mathis]\nstyle: {STYLE}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=f"{name}: is not read: its name must end in"):
        load_configuration(file)


def test_files_of_no_source_are_told(tmp_path: Path) -> None:
    """A study that `sources` does not name, or claims of a name that no study has."""
    shutil.copytree(TINY, tmp_path / "tiny")
    file = tmp_path / "tiny" / "config.yaml"
    text = file.read_text(encoding="utf-8").replace("../style.yaml", str(STYLE))
    file.write_text(text, encoding="utf-8")
    assert "not read" not in check_document(read(file)).found
    claims = tmp_path / "tiny" / "claims"
    (claims / "mathis.yaml").rename(claims / "mathys.yaml")
    file.write_text(text.replace(", packet_trains", ""), encoding="utf-8")
    told = check_document(read(file)).found
    assert "0 claims" in told
    assert told.endswith(
        f"not read, for sources does not name them: {tmp_path}/tiny/figures/packet_trains.yaml, "
        f"{claims}/mathys.yaml"
    )


@pytest.mark.parametrize("key", ["figures", "claims", "style", "comparison", "census"])
def test_a_file_or_folder_that_is_named_and_not_there_is_told_with_its_key(
    tmp_path: Path, key: str
) -> None:
    """The claims' too, though none are needed: a slip would leave them out without a word."""
    (tmp_path / "figures").mkdir()
    (tmp_path / "wonders").mkdir()
    said = {"figures": "figures", "style": str(STYLE), key: "wonder"}
    lines = [f"{name}: {value}" for name, value in said.items()]
    file = tmp_path / "config.yaml"
    file.write_text("\n".join([*lines, "sources: [mathis]"]), encoding="utf-8")
    with pytest.raises(
        ConfigurationError, match=f"{key}: no such file or folder.*mean wonders"
    ) as caught:
        load_configuration(file)
    assert caught.value.problems[0].line == list(said).index(key) + 1
