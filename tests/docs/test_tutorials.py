"""The commands of each tutorial print the output that the tutorial shows."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cluster.test_slurm import pytestmark as slurm_is_here
from tests.docs import tutorials

CLUSTER = "cluster"
OFTEN = ("measurement", "model")
"""Tutorials that are tested with every change; the others are tested once a week."""
RARELY = sorted({page.stem for page in tutorials.PAGES.glob("*.md")} - {CLUSTER, *OFTEN})
THROUGH_SLURM = "## Through Slurm"
SKIPS = [mark.mark for mark in slurm_is_here if mark.name == "skipif"]


@pytest.mark.parametrize(
    "page", [*OFTEN, *(pytest.param(page, marks=pytest.mark.weekly) for page in RARELY)]
)
def test_commands_of_a_tutorial_print_the_shown_output(page: str, tmp_path: Path) -> None:
    follow(text_of(page), tmp_path / "project")


@pytest.mark.weekly
@pytest.mark.skipif(not any(mark.args[0] for mark in SKIPS), reason="all of it is run below")
def test_the_part_of_the_cluster_tutorial_without_slurm(tmp_path: Path) -> None:
    local, found, _ = text_of(CLUSTER).partition(THROUGH_SLURM)
    assert found
    follow(local, tmp_path / "project")


@pytest.mark.weekly
class TestThroughSlurm:
    """The whole tutorial about clusters works, if Slurm can be started."""

    pytestmark = slurm_is_here

    def test_the_cluster_tutorial(self, tmp_path: Path) -> None:
        folder = tmp_path / "project"
        try:
            follow(text_of(CLUSTER), folder)
        finally:  # also stop Slurm if the tutorial fails
            subprocess.run([folder / tutorials.SLURM, "stop", "/tmp/tutorial-slurm"], check=False)


def text_of(page: str) -> str:
    return (tutorials.PAGES / f"{page}.md").read_text(encoding="utf-8")


def follow(text: str, folder: Path) -> None:
    """Run the commands of a page in a copy of the project; assert that they print what it shows."""
    tutorials.project(folder)
    done = list(tutorials.steps(text, folder, environment=tutorials.surroundings()))
    assert done, "a tutorial has commands"
    for step in done:
        assert tutorials.matches(step.shown, step.printed), f"$ {step.command}\n{step.printed}"


def test_commands_of_the_readme_print_the_shown_output(tmp_path: Path) -> None:
    text = (tutorials.ROOT / "README.md").read_text(encoding="utf-8")
    follow(text, tmp_path / "project")


def test_an_ellipsis_matches_varying_text() -> None:
    shown = "Done: 4 jobs in ... s.\n...\nNext: more\n"
    assert tutorials.matches(shown, "Done: 4 jobs in 4.7 s.\na\nb\nNext: more\n")
    assert tutorials.matches(shown, "Done: 4 jobs in 4.7 s.\nNext: more\n")
    assert not tutorials.matches(shown, "Done: 5 jobs in 4.7 s.\nNext: more\n")
