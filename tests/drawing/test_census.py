"""Pictures of a census: every family, group and leaf is shown, with what was found."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure as Picture
from matplotlib.text import Text

from tcpgoodput.census import spread
from tcpgoodput.census.evidence import LARGEST, halves
from tcpgoodput.census.tree import TREE_COLUMNS, grow, tree_rows
from tcpgoodput.drawing import census, census_tree
from tcpgoodput.storage.tables import csv_text
from tcpgoodput.style.looks import Style
from tests.census.evidences import evidence

LOOKS = {"labels": {"one": "The One", "other": "The Other"}, "impairments": ["loss"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    known = evidence()
    grown, judged = halves(known)
    tree = grow(known, grown)
    tables = {
        "errors": (spread.ERROR_COLUMNS, spread.errors_of(known, ["loss"])),
        "calibration": (spread.CALIBRATION_COLUMNS, spread.calibration_of(known)),
        "tree": (TREE_COLUMNS, tree_rows(tree, known, judged)),
        "importance": (["family", "quantity", "importance", "explained"], []),
    }
    for name, (columns, rows) in tables.items():
        (tmp_path / f"{name}.csv").write_text(csv_text(columns, rows), encoding="utf-8")
    return tmp_path


def said(picture: Picture) -> str:
    return "\n".join(text.get_text() for text in picture.findobj(Text))


def test_the_tree_says_what_it_asks_and_how_good_its_advice_was(folder: Path, style: Style) -> None:
    told = said(census.drawn("tree", LOOKS, folder, style))
    leaves = pd.read_csv(folder / "tree.csv").dropna(subset="family")
    assert "$p$ $\\leq$ 0.3" in told
    for leaf in leaves.itertuples():
        assert f"{LOOKS['labels'][leaf.family]}\n{leaf.judged:.0f}: 1 % off" in told


def test_errors_of_every_family_in_every_group(folder: Path, style: Style) -> None:
    told = said(census.drawn("errors", LOOKS, folder, style))
    assert all(word in told for word in ("The One", "The Other", "nothing", "loss"))
    table = pd.read_csv(folder / "errors.csv").set_index(["family", "happening", "standing"])
    shown = table.loc[("one", "loss", "at home")]
    assert f"{shown['typical_%']:.0f}\n" in told
    assert f"{table.loc[('one', 'all', 'at home'), 'answers']}\n" in told


def test_a_group_of_few_answers_is_not_shown(folder: Path, style: Style) -> None:
    path = folder / "calibration.csv"
    table = pd.read_csv(path)
    assert len(drawn_answers(census.drawn("calibration", LOOKS, folder, style))) == 2
    table.loc[table["model"] == "one", "answers"] = census.FEWEST_SHOWN - 1
    table.to_csv(path, index=False)
    assert len(drawn_answers(census.drawn("calibration", LOOKS, folder, style))) == 1


def drawn_answers(picture: Picture) -> list[str]:
    """Return the numbers of answers that a picture of the calibration tells."""
    return [told for told in said(picture).splitlines() if told == "2000"]


def test_a_leaf_that_says_simulate_tells_of_the_family_that_is_not_to_be_used(
    folder: Path, style: Style
) -> None:
    path = folder / "tree.csv"
    table = pd.read_csv(path)
    leaves = table["family"].notna()
    table.loc[leaves, "family"] = "simulate"
    table.loc[leaves & (table["best_family"] == "other"), "expected_%"] = 100 * LARGEST
    table.to_csv(path, index=False)
    told = said(census.drawn("tree", LOOKS, folder, style))
    assert "simulate (best: The One)\n" in told
    assert ": no family answers" in told
    assert "The Other" not in told


def test_each_bound_of_the_calibration_has_a_panel(folder: Path, style: Style) -> None:
    told = said(census.drawn("calibration", LOOKS, folder, style))
    assert all(f"within {bound} %" in told for bound in (5, 10, 25))


def test_too_few_connections_are_said_to_be_too_few(folder: Path, style: Style) -> None:
    assert "too few" in said(census.drawn("importance", LOOKS, folder, style))
    path = folder / "calibration.csv"
    pd.read_csv(path).assign(answers=1).to_csv(path, index=False)
    assert "too few" in said(census.drawn("calibration", LOOKS, folder, style))


def test_questions_of_a_deep_tree_stay_off_the_leaves(style: Style) -> None:
    deep = 9
    rows = [
        {"node": n, "parent": n - 1 if n else None, "side": "no", "quantity": "loss"}
        for n in range(deep)
    ]
    leaves = [(n, "yes") for n in range(deep)] + [(deep - 1, "no")]
    rows += [
        {"node": deep + k, "parent": parent, "side": side, "quantity": None}
        for k, (parent, side) in enumerate(leaves)
    ]
    advice = {
        "family": "one",
        "best_family": "mathis",
        "judged": 9,
        "typical_%": 1,
        "expected_%": 1,
    }
    nodes = pd.DataFrame(rows).assign(**advice, **{"within_10_%": 50}, question="loss?")
    picture = census_tree.draw(nodes, {}, style)
    (axes,) = picture.axes
    asked = [text.get_position()[0] for text in axes.texts if text.get_text() == "loss?"]
    assert len(asked) == deep
    assert max(asked) + 1 < min(patch.get_x() for patch in axes.patches)
