"""Claims in the other settings that a study's text leaves open for a group of figures.

`settings:` in a study's file of figures lists the settings of each group. A claim about figures of
the group is evaluated in each of them: with the same predicate, and the same data of the figures in
this setting. So one can ask under which *one* setting most sentences of the study hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from tcpgoodput.comparison.claims.schema import Claim, DataSelection, Evidence
from tcpgoodput.studies.open_settings import name_in
from tcpgoodput.studies.schema import SourceFigures

DRAWN = "drawn"
"""Name of the setting in which a group's figures are drawn, in the table of settings."""
COUNTED = ("model", "packet")
"""Kinds of evidence that decide which setting is drawn: every setting has both."""
NO_VALUE = "no value"
"""Outcome in a setting in which a model that the claim reads has no value."""
OUTCOMES = ("holds", "fails", "undecided", NO_VALUE)
COLUMNS = [
    *("group", "setting", "title", "figures", "id", "where", "statement", "evidence", "outcome"),
    *("value", "value_low", "value_high", "bound"),
]


@dataclass(frozen=True)
class Varied:
    """The data of a claim in one setting of a group of figures."""

    group: str
    setting: str
    """Name of the setting; `drawn` for the one in which the figures are drawn."""
    title: str
    data: list[DataSelection]

    @property
    def place(self) -> tuple[str, str, str]:
        """Group, name and title of the setting."""
        return self.group, self.setting, self.title


def varied(claim: Claim, evidence: Evidence, figures: SourceFigures) -> Iterator[Varied]:
    """Yield a claim's data in each setting of each group whose figures the claim reads.

    The setting in which the figures are drawn comes first in its group.
    """
    data = claim.data[evidence]
    read = {reading.figure for reading in data}
    for group, settings in figures.settings.items():
        if read.isdisjoint(settings.figures):
            continue
        yield Varied(group, DRAWN, settings.drawn, data)
        for key, choice in settings.others.items():
            yield Varied(group, key, choice.title, _moved(data, settings.figures, key))


def _moved(
    data: Iterable[DataSelection], figures: Sequence[str], choice: str
) -> list[DataSelection]:
    """Return data selections that read the figures of a group in another setting."""
    return [
        reading.model_copy(update={"figure": name_in(reading.figure, choice)})
        if reading.figure in figures
        else reading
        for reading in data
    ]


def sentences_that_hold(rows: pd.DataFrame) -> pd.DataFrame:
    """Count the sentences with each outcome in each setting of a study, for each evidence.

    `rows` is the study's table `settings.csv`. There is a row for each group, setting and kind of
    evidence, in the order of `rows`, with the columns group, setting, title, evidence, and one for
    each of `OUTCOMES`. Only sentences that have an outcome in every setting of their group are
    counted: a sentence that ns-2 did not measure in one setting does not count in the others.
    """
    settings = rows.groupby(["group", "evidence"])["setting"].transform("nunique")
    own = rows.groupby(["group", "evidence", "id"])["setting"].transform("nunique")
    complete = rows[own == settings]
    keys = ["group", "setting", "title", "evidence"]
    counts = complete.groupby([*keys, "outcome"], sort=False).size().unstack(fill_value=0)
    return counts.reindex(columns=list(OUTCOMES), fill_value=0).reset_index()


def best_settings(rows: pd.DataFrame) -> dict[str, str]:
    """Return, for each group, the name of the setting under which most sentences hold.

    Sentences judged by the study's model and by our simulator count. If settings are equal, the one
    with fewer failures is best, then the one under which more sentences hold by ns-2, then the one
    that comes first in the file.
    """
    counts = sentences_that_hold(rows)
    best = {}
    for group, own in counts.groupby("group", sort=False):
        counted = own[own["evidence"].isin(COUNTED)].groupby("setting", sort=False)
        table = counted[["holds", "fails"]].sum()
        by_ns2 = own[own["evidence"] == "ns2"].set_index("setting")["holds"]
        table["ns2"] = by_ns2.reindex(table.index).fillna(0)
        ranked = table.sort_values(
            ["holds", "fails", "ns2"], ascending=[False, True, False], kind="stable"
        )
        best[str(group)] = str(ranked.index[0])
    return best
