"""Pictures of results on a random sample of connections (census).

They show each family of models and each group of connections.
"""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.figure import Figure as Picture
from matplotlib.text import Text

from tcpgoodput.comparison.errors import errors_by, ratios_by
from tcpgoodput.drawing import census
from tcpgoodput.style import Style
from tests.census.evidences import evidence

Tables = dict[str, pd.DataFrame]
LOOKS = {"labels": {"one": "The One", "other": "The Other"}, "impairments": ["loss"]}


@pytest.fixture(scope="module")
def tables() -> Tables:
    """Return the tables of results on synthetic connections by name."""
    rows = evidence().rows().assign(status="in domain")
    errors = pd.concat([rows.assign(group="all"), rows])
    models = evidence().rows("model")
    columns = ["family", "quantity", "importance", "explained"]
    return {
        "rows": evidence().rows(),
        "errors": errors_by(errors, ["family", "group", "status"]),
        "calibration": errors_by(models, ["model", "status"]),
        "importance": pd.DataFrame(columns=columns),
    }


def texts_of(picture: Picture) -> str:
    return "\n".join(text.get_text() for text in picture.findobj(Text))


def test_errors_are_drawn_for_every_family_and_group(tables: Tables, style: Style) -> None:
    text_shown = texts_of(census.draw("errors", LOOKS, tables["errors"], style, tables["rows"]))
    assert all(word in text_shown for word in ("The One", "The Other", "nothing", "loss"))
    table = tables["errors"].set_index(["family", "group", "status"])
    shown = table.loc[("one", "loss", "in domain")]
    assert f"{shown['median_%']:.0f}\n" in text_shown
    assert f"{table.loc[('one', 'all', 'in domain'), 'n']}\n" in text_shown


def test_a_group_of_few_answers_is_not_shown(tables: Tables, style: Style) -> None:
    table = tables["calibration"].copy()
    assert len(drawn_answers(census.draw("calibration", LOOKS, tables["calibration"], style))) == 2
    table.loc[table["model"] == "one", "n"] = census.FEWEST_SHOWN - 1
    assert len(drawn_answers(census.draw("calibration", LOOKS, table, style))) == 1


def drawn_answers(picture: Picture) -> list[str]:
    """Return the texts `2000` in a picture, the number of predictions of each family shown."""
    return [text_shown for text_shown in texts_of(picture).splitlines() if text_shown == "2000"]


def test_each_bound_of_the_calibration_has_a_panel(tables: Tables, style: Style) -> None:
    text_shown = texts_of(census.draw("calibration", LOOKS, tables["calibration"], style))
    assert all(f"within {bound} %" in text_shown for bound in (5, 10, 25))


def test_a_picture_reports_too_few_connections(tables: Tables, style: Style) -> None:
    assert "too few" in texts_of(census.draw("importance", LOOKS, tables["importance"], style))
    few = tables["calibration"].assign(n=1)
    assert "too few" in texts_of(census.draw("calibration", LOOKS, few, style))


def test_gains_show_the_interval_of_each_median(style: Style) -> None:
    gains = [0.01 * number for number in range(-50, 51)]
    rows = pd.DataFrame({"other_variant": "cubic", "group": "loss", "gain": gains})
    table = ratios_by(rows, ["other_variant", "group"], "gain")
    (axes,) = census.draw("gains", LOOKS, table, style).axes
    drawn = [tuple(line.get_xdata()) for line in axes.lines]
    (row,) = table.to_dict("records")
    assert row["q50_low"] < row["q50"] == 1 < row["q50_high"]
    for ends in (("q05", "q95"), ("q25", "q75"), ("q50_low", "q50_high")):
        assert tuple(row[end] for end in ends) in drawn
