"""Where a notebook finds what a run has made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.drawing.exhibits import Exhibits
from tcpgoodput.storage.files import described


@pytest.mark.parametrize("place", [".", "notebooks", "elsewhere/deep"])
def test_the_last_run_is_found_from_anywhere_in_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    listed = tmp_path / "results" / "mathis" / "study.json"
    listed.parent.mkdir(parents=True)
    listed.write_text('{"exhibits": []}', encoding="utf-8")
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path / place)
    assert Exhibits(None, "mathis").told == {"exhibits": []}
    assert Exhibits(None, "handoffs").told is None


def test_what_no_run_has_made_says_what_makes_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"\./reproduce makes it"):
        described(tmp_path / "claims.json")
