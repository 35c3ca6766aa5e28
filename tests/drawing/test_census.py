"""Pictures of results on a random sample of connections (census).

They show each family of models, each group of connections, and each leaf of the decision tree.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure as Picture
from matplotlib.text import Text

from tcpgoodput.comparison.census import summary
from tcpgoodput.comparison.census.evidence import LARGEST, split_halves
from tcpgoodput.comparison.census.tree import TREE_COLUMNS, grow, tree_rows
from tcpgoodput.drawing import census, census_tree
from tcpgoodput.storage import csv_text
from tcpgoodput.style import Style
from tests.census.evidences import evidence

Tables = dict[str, pd.DataFrame]
LOOKS = {"labels": {"one": "The One", "other": "The Other"}, "impairments": ["loss"]}


@pytest.fixture(scope="module")
def tables() -> Tables:
    """Return the tables of results on synthetic connections by name, as read from CSV files."""
    known = evidence()
    grown, judged = split_halves(known)
    tree = grow(known, grown)
    found: dict[str, tuple[list[str], Iterable[dict[str, Any]]]] = {
        "errors": (summary.ERROR_COLUMNS, summary.errors_of(known, ["loss"])),
        "calibration": (summary.CALIBRATION_COLUMNS, summary.calibration_of(known)),
        "tree": (TREE_COLUMNS, tree_rows(tree, known, judged)),
        "importance": (["family", "quantity", "importance", "explained"], []),
    }
    return {
        name: pd.read_csv(io.StringIO(csv_text(columns, rows)))
        for name, (columns, rows) in found.items()
    }


def texts_of(picture: Picture) -> str:
    return "\n".join(text.get_text() for text in picture.findobj(Text))


def test_the_drawn_tree_shows_questions_and_errors(tables: Tables, style: Style) -> None:
    text_shown = texts_of(census.draw("tree", LOOKS, tables["tree"], style))
    leaves = tables["tree"].dropna(subset="family")
    assert "$p$ $\\leq$ 0.3" in text_shown
    for leaf in leaves.itertuples():
        assert (
            f"{LOOKS['labels'][leaf.family]}\n{leaf.validation_connections:.0f}: 1 % off"
            in text_shown
        )


def test_errors_are_drawn_for_every_family_and_group(tables: Tables, style: Style) -> None:
    text_shown = texts_of(census.draw("errors", LOOKS, tables["errors"], style))
    assert all(word in text_shown for word in ("The One", "The Other", "nothing", "loss"))
    table = tables["errors"].set_index(["family", "impairments", "standing"])
    shown = table.loc[("one", "loss", "in domain")]
    assert f"{shown['typical_%']:.0f}\n" in text_shown
    assert f"{table.loc[('one', 'all', 'in domain'), 'answers']}\n" in text_shown


def test_a_group_of_few_answers_is_not_shown(tables: Tables, style: Style) -> None:
    table = tables["calibration"].copy()
    assert len(drawn_answers(census.draw("calibration", LOOKS, tables["calibration"], style))) == 2
    table.loc[table["model"] == "one", "answers"] = census.FEWEST_SHOWN - 1
    assert len(drawn_answers(census.draw("calibration", LOOKS, table, style))) == 1


def drawn_answers(picture: Picture) -> list[str]:
    """Return the texts `2000` in a picture, the number of predictions of each family shown."""
    return [text_shown for text_shown in texts_of(picture).splitlines() if text_shown == "2000"]


def test_a_leaf_that_advises_simulation_names_the_best_family(tables: Tables, style: Style) -> None:
    table = tables["tree"].copy()
    leaves = table["family"].notna()
    table.loc[leaves, "family"] = "simulate"
    table.loc[leaves & (table["best_family"] == "other"), "expected_%"] = 100 * LARGEST
    text_shown = texts_of(census.draw("tree", LOOKS, table, style))
    assert "simulate (best: The One)\n" in text_shown
    assert ": no family answers" in text_shown
    assert "The Other" not in text_shown


def test_each_bound_of_the_calibration_has_a_panel(tables: Tables, style: Style) -> None:
    text_shown = texts_of(census.draw("calibration", LOOKS, tables["calibration"], style))
    assert all(f"within {bound} %" in text_shown for bound in (5, 10, 25))


def test_a_picture_reports_too_few_connections(tables: Tables, style: Style) -> None:
    assert "too few" in texts_of(census.draw("importance", LOOKS, tables["importance"], style))
    few = tables["calibration"].assign(answers=1)
    assert "too few" in texts_of(census.draw("calibration", LOOKS, few, style))


def test_questions_of_a_deep_tree_do_not_overlap_the_leaves(style: Style) -> None:
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
        "validation_connections": 9,
        "typical_%": 1,
        "expected_%": 1,
    }
    nodes = pd.DataFrame(rows).assign(**advice, **{"within_10_%": 50}, question="loss?")
    picture = census_tree.draw(nodes, {}, style)
    (axes,) = picture.axes
    request = [text.get_position()[0] for text in axes.texts if text.get_text() == "loss?"]
    assert len(request) == deep
    assert max(request) + 1 < min(patch.get_x() for patch in axes.patches)
