"""Folders of a workflow run, and its command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.project.run import Run, given_by
from tcpgoodput.project.settings import DEFAULT_PATH


@pytest.mark.parametrize("name", [None, "draft"])
def test_every_run_has_the_same_folders(name: str | None) -> None:
    run = Run(name)
    found = [run.results, run.figures, run.paper, run.logs, run.report]
    plain = ["results", "figures", "paper", "logs", "paper/report.pdf"]
    assert found == [f"runs/{name}/{path}" if name else path for path in plain]
    assert run.root == (f"runs/{name}" if name else ".")


@pytest.mark.parametrize(
    ("config", "path", "changes"),
    [
        ({}, DEFAULT_PATH, {}),
        ({"precision": "draft", "seed": 2}, DEFAULT_PATH, {"precision": "draft", "seed": 2}),
        ({"configuration": "mine.yaml", "run": "a"}, Path("mine.yaml"), {"run": "a"}),
    ],
)
def test_given_by_returns_the_settings_file_and_changes(
    config: dict[str, Any], path: Path, changes: dict[str, Any]
) -> None:
    assert given_by(config, []) == (path, changes)


def test_values_of_the_settings_file_are_not_changes(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("sources: [mathis]\nseed: 3\n", encoding="utf-8")
    config = {"sources": ["mathis"], "seed": 3, "precision": "draft"}
    assert given_by(config, ["other.yaml", file]) == (file, {"precision": "draft"})
    assert given_by({**config, "seed": 4}, [file])[1] == {"seed": 4, "precision": "draft"}


@pytest.mark.parametrize("given", [None, 5, [], ""])
def test_configuration_must_be_a_file(given: object) -> None:
    with pytest.raises(ConfigurationError, match="configuration: needs a file"):
        given_by({"configuration": given}, [])


@pytest.mark.parametrize("key", ["figures", "claims"])
def test_a_given_key_needs_a_value(key: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{key}: needs a value"):
        given_by({key: None}, [])


def test_a_misspelled_key_is_reported_with_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match="unknown key; did you mean precision"):
        given_by({"precison": "draft"}, [])
