"""The git host's CI and the container use only the documented commands."""

from __future__ import annotations

import json
import re

import yaml

from tests.folders import ROOT

HOST = ROOT / ".github"


def test_ci_runs_the_two_commands() -> None:
    workflow = yaml.safe_load((HOST / "workflows/ci.yml").read_text(encoding="utf-8"))
    runs = {
        step["run"].partition(" --deselect")[0]
        for job in workflow["jobs"].values()
        for step in job["steps"]
        if "run" in step and "reproduce" in step["run"]
    }
    assert runs == {
        "./reproduce --config sentences=must-hold",
        "./reproduce test",
        "./reproduce test -m browser",
        "./reproduce test -m weekly",
        "./reproduce site",
        "./reproduce --dry-run",  # sets up the project, but runs no job of the workflow
        "./reproduce --config configuration=config/test/config.yaml",
    }


def test_ci_runs_weekly_and_updates_locks_with_the_same_options() -> None:
    text = (HOST / "workflows/ci.yml").read_text(encoding="utf-8")
    assert re.search(r'cron: "\d+ \d+ \* \* \d"', text)
    made = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()[1]
    for option in re.findall(r"--(?!output|no-)[\w-]+(?: [\w.]+)?", made):
        assert option in text, option


def test_the_editors_container_equals_the_containerfile_and_runs_setup() -> None:
    folder = ROOT / ".devcontainer"
    made = json.loads((folder / "devcontainer.json").read_text(encoding="utf-8"))
    own, other = (
        (file).read_text(encoding="utf-8").split("\n\n")[:2]
        for file in (folder / made["build"]["dockerfile"], ROOT / "Containerfile")
    )
    assert own[0].splitlines()[-1] == other[0].splitlines()[-1]
    name, command, file = made["postCreateCommand"].split()
    assert (name, command, (ROOT / file).is_file()) == ("./reproduce", "test", True)


def test_a_container_runs_the_two_commands() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert re.findall(r"^RUN (\./reproduce.*)$", text, re.MULTILINE) == [
        "./reproduce",
        "./reproduce test",
    ]


def test_issue_templates_have_a_required_field() -> None:
    for file in (HOST / "ISSUE_TEMPLATE").glob("*.yml"):
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        if file.stem == "config":
            continue
        assert content.keys() == {"name", "description", "labels", "body"}, file.name
        ids = [field["id"] for field in content["body"]]
        assert len(set(ids)) == len(ids)
        assert any(field.get("validations", {}).get("required") for field in content["body"])


def test_links_in_pages_shown_by_a_host_are_valid() -> None:
    for name in ("README.md", "ARTIFACT.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert (ROOT / link).exists(), f"{name}: {link}"
