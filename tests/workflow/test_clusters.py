"""What a cluster asks of the place where the project is."""

from __future__ import annotations

import pytest

from tcpgoodput.workflow.clusters import fault_of


@pytest.mark.parametrize(
    ("executor", "python", "refused"),
    [
        ("slurm", "/home/a user/project/.venv/bin/python", True),
        ("slurm", "/home/user/project/.venv/bin/python", False),
        ("local", "/home/a user/project/.venv/bin/python", False),
    ],
)
def test_jobs_of_slurm_need_a_path_without_spaces(
    executor: str, python: str, refused: bool
) -> None:
    assert (fault_of(executor, python) is not None) == refused
