"""The claims (checkable statements) of the studies, evaluated on the results of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

import tcpgoodput.studies.sender_views  # noqa: F401  (registers curves and tables of the simulator)
from tcpgoodput.api.load import configured
from tcpgoodput.comparison.claims.data import Data, tables_in
from tcpgoodput.comparison.claims.schema import EVIDENCE
from tcpgoodput.comparison.claims.verdicts import (
    COLUMNS,
    READING_COLUMNS,
    SETTING_COLUMNS,
    VERDICTS,
    Judgement,
    judgements_of,
    with_our_outcome,
)
from tcpgoodput.comparison.claims.words import EVIDENCE_TITLES
from tcpgoodput.comparison.printed.rows import COLUMNS as PRINTED_COLUMNS
from tcpgoodput.comparison.printed.rows import Row, rows_of
from tcpgoodput.configuration import ConfigurationError, Problem
from tcpgoodput.configuration.problems import collecting
from tcpgoodput.drawing import TITLES, theme
from tcpgoodput.project.settings import DEFAULT_PATH, Configuration
from tcpgoodput.storage import csv_text, write_text
from tcpgoodput.style import Look

if TYPE_CHECKING:
    from IPython.display import Image
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture


ROW_CM, FEWEST_ROWS = 0.62, 3
"""ROW_CM: height of one study's bar in a picture, in cm. FEWEST_ROWS: the picture has room for at
least this number of bars. Both were chosen by hand."""
DIGIT = 0.06
"""Width of a digit as a fraction of the longest bar. A segment of a bar shows its number of claims
only if the number fits into it. Chosen by hand."""


def ledger(
    configuration: str | Path = DEFAULT_PATH, results: str | Path = "results", **changes: Any
) -> Ledger:
    """Evaluate every claim of the configuration on the results of a run.

    Args:
        configuration: the settings file, such as `config/config.yaml`.
        results: the folder with the computed figures of the studies.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Returns:
        A `Ledger`, which lists, counts, draws and saves the verdicts.

    Raises:
        ConfigurationError: a file is invalid, or a claim cannot be evaluated.

    """
    found = configured(configuration, changes)
    conditions, style = found.settings.conditions, found.style
    # Each table of the results is read once, when it is first asked for.
    data = {
        name: Data(found.sources[name], style, conditions, tables_in(Path(results), name))
        for name in {**found.claims, **found.printed}
    }
    judgements: list[Judgement] = []
    rows: dict[str, list[Row]] = {}
    problems: list[Problem] = []
    for name, claims in found.claims.items():
        with collecting(problems):
            judgements += judgements_of(claims, data[name])
    for name, printed in ({} if problems else found.printed).items():
        with collecting(problems):
            rows[name] = rows_of(printed, data[name], judgements)
    if problems:
        raise ConfigurationError(problems)
    return Ledger(found, judgements, rows)


class Ledger:
    """All claims of the studies, with a verdict on each claim."""

    def __init__(
        self,
        configuration: Configuration,
        judgements: Sequence[Judgement],
        printed: Mapping[str, Sequence[Row]],
    ) -> None:
        """Put the verdicts into the table `rows`.

        Args:
            configuration: the configuration of the run.
            judgements: the verdicts on the claims of the configuration.
            printed: the printed numbers of each study with the recomputed ones.

        """
        self.judgements = judgements
        self.printed = {name: [row.record(name) for row in rows] for name, rows in printed.items()}
        columns = ["source", "id", "where", "statement", "evidence", "predicate"]
        columns += ["verdict", "joint", "value", "bound", "note", "was", "is", "why"]
        columns += ["verdict and ours"]
        records = [{"where": j.claim.where, **j.record()} for j in judgements]
        rows = [
            {**row, "verdict and ours": with_our_outcome(row["verdict"], row["joint"])}
            for row in records
        ]
        self.rows = pd.DataFrame(rows, columns=columns)
        named = configuration.claims or configuration.sources
        titles = {name: configuration.sources[name].figures for name in named}
        self.sources = {name: figures.title for name, figures in titles.items()}
        self.studies = [name for name, figures in titles.items() if not figures.ours]
        self.style = configuration.style
        self._with_settings = {name: f for name, f in titles.items() if f.settings}

    def save(self, results: str | Path | None, figures: str | Path | None) -> None:
        """Write tables below `results` and the picture below `figures`; None skips a folder.

        `claims.csv` has the verdicts on all claims. `claims_readings.csv` has the outcome of each
        interpretation (reading) of the claims that are ambiguous. `STUDY/settings.csv` has the
        outcome of each claim in each setting that the study's text leaves open for its figures,
        `STUDY/printed.csv` the numbers that a study's text prints with the recomputed ones.
        """
        if results is not None:
            verdicts = [judgement.record() for judgement in self.judgements]
            readings = [row for one in self.judgements for row in one.reading_records()]
            tables = {"claims": (COLUMNS, verdicts), "claims_readings": (READING_COLUMNS, readings)}
            for source, study in self._with_settings.items():
                own = [one for one in self.judgements if one.source == source]
                records = [row for one in own for row in one.setting_records(study)]
                tables[f"{source}/settings"] = (SETTING_COLUMNS, records)
            for name, rows in self.printed.items():
                tables[f"{name}/printed"] = (PRINTED_COLUMNS, rows)
            for name, (columns, rows) in tables.items():
                write_text(Path(results, f"{name}.csv"), csv_text(list(columns), rows))
        if figures is not None:
            theme.keep(self._files, Path(figures, "claims", "verdicts"))

    @property
    def printed_numbers(self) -> pd.DataFrame:
        """The numbers that the studies' text prints with the recomputed ones."""
        return pd.DataFrame(
            [row for rows in self.printed.values() for row in rows], columns=list(PRINTED_COLUMNS)
        )

    def draw(self) -> Picture:
        """Draw the number of claims with each verdict, as one bar for each study.

        The picture leaves out this project's claims about its own data.
        """
        from matplotlib.patches import Patch

        theme.apply(self.style)
        drawn = self._of_studies
        evidence = [e for e in EVIDENCE if (drawn["evidence"] == e).any()] or ["model"]
        # With fewer rows the picture would be so low that only the legend is visible.
        rows = max(len(self.studies), FEWEST_ROWS)
        picture = theme.new_picture(self.style, ROW_CM * rows + 2.3)
        grid = picture.subplots(1, len(evidence), sharey=True, squeeze=False)
        for axes, kind in zip(grid.flat, evidence, strict=True):
            self._draw_bars(axes, kind)
        handles = [Patch(color=look.colour, label=look.label) for look in self._looks.values()]
        columns = (len(VERDICTS) + 1) // 2
        picture.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)
        return picture

    @cached_property
    def _files(self) -> dict[str, bytes]:
        return theme.rendered(self.draw())

    def show_counts(self) -> Image:
        """Return the picture of the number of claims with each verdict, for a notebook."""
        return theme.shown(self._files, TITLES["claims/verdicts"])

    @property
    def _of_studies(self) -> pd.DataFrame:
        return self.rows[self.rows["source"].isin(self.studies)]

    @property
    def _looks(self) -> dict[str, Look]:
        lines = self.style.palette.lines
        return {verdict: lines.get(verdict, lines["neutral"]) for verdict in VERDICTS}

    def _draw_bars(self, axes: Axes, evidence: str) -> None:
        import seaborn as sns

        own = self._of_studies.query("evidence == @evidence")
        names = pd.Categorical(own["source"], self.studies)
        sns.histplot(
            y=names.rename_categories(lambda name: name.replace("_", " ")),
            # Reverse the verdicts, because seaborn stacks the last category first.
            hue=pd.Categorical(own["verdict"], VERDICTS[::-1]),
            palette={verdict: look.colour for verdict, look in self._looks.items()},
            multiple="stack",
            shrink=0.8,
            alpha=1,
            legend=False,
            ax=axes,
        )
        widest = own["source"].value_counts().max()
        for bars in axes.containers:
            counts = [(bar.get_width(), f"{bar.get_width():.0f}") for bar in bars]
            texts = [text if c >= DIGIT * len(text) * widest else "" for c, text in counts]
            axes.bar_label(bars, texts, label_type="center", fontsize="small")
        axes.set(title=EVIDENCE_TITLES[evidence], xlabel="claims", ylabel="")
        axes.grid(visible=False, axis="y")
