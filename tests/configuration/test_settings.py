"""The settings: what their file may not say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.settings import TAKEN, load_configuration

STYLE = Path(__file__).parents[2] / "config" / "style.yaml"


@pytest.mark.parametrize("name", TAKEN)
def test_a_study_cannot_take_the_name_of_what_the_workflow_makes(tmp_path: Path, name: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(f"sources: [{name}]\nstyle: {STYLE}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="the workflow uses this name itself"):
        load_configuration(file)
