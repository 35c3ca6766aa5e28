"""What the claims notebook calls: the ledger of verdicts, described by one JSON file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from tcpgoodput.claims.schema import EVIDENCE
from tcpgoodput.claims.verdicts import VERDICTS, Judgement
from tcpgoodput.engines.names import ENGINE_NAMES, REFERENCE
from tcpgoodput.project.configuration import Configuration
from tcpgoodput.storage.files import described
from tcpgoodput.style.looks import Look, Palette, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

EVIDENCE_TITLES = {"model": "models", **ENGINE_NAMES, REFERENCE: "packet simulator"}
ROW_CM = 0.62
"""Height of a source's bar."""
NARROWEST_NUMBER = 0.06
"""Share of a bar that a number needs to stand in it."""


def description(configuration: Configuration, judgements: Iterable[Judgement]) -> str:
    """Return all that the ledger shows, as JSON."""
    rows = [{"where": j.claim.where, **j.record()} for j in judgements]
    named = configuration.claims or configuration.sources
    content = {
        "sources": {name: configuration.sources[name].figures.title for name in named},
        "studies": [name for name in named if not configuration.sources[name].figures.ours],
        "rows": rows,
        "style": configuration.style.palette.model_dump(mode="json"),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


class Ledger:
    """Every claim with its verdicts."""

    def __init__(self, path: str | Path) -> None:
        content = described(path)
        columns = ["source", "id", "where", "statement", "evidence", "predicate"]
        columns += ["verdict", "value", "bound", "note"]
        self.rows = pd.DataFrame(content["rows"], columns=columns)
        self.sources: dict[str, str] = content["sources"]
        self.studies: list[str] = content["studies"]
        self.style = Style(Palette.model_validate(content["style"]))
        self.stem = Path(path).resolve().parent.parent / "figures" / "claims" / "verdicts"

    def counts(self) -> pd.DataFrame:
        """Return how many verdicts there are of each kind, by source and evidence."""
        table = pd.crosstab([self.rows["source"], self.rows["evidence"]], self.rows["verdict"])
        order = [(s, e) for s in self.sources for e in EVIDENCE if (s, e) in table.index]
        return table.reindex(index=order, columns=list(VERDICTS), fill_value=0)

    def claims(self, source: str, verdict: str | None = None) -> pd.DataFrame:
        """Return the claims of a source, all or those of one verdict."""
        own = self.rows[self.rows["source"] == source]
        if verdict is not None:
            own = own[own["verdict"] == verdict]
        return own.drop(columns="source").reset_index(drop=True)

    def show(self) -> None:
        """Show every claim of every source with its verdicts."""
        from IPython.display import Markdown, display

        with pd.option_context("display.max_colwidth", None, "display.max_rows", None):
            for source, title in self.sources.items():
                own = self.claims(source)
                display(Markdown(f"## {title}"))
                display(own if len(own) else Markdown("*No claims.*"))

    def show_contradicted(self) -> None:
        """Show what is correctly printed and not borne out, by source."""
        from IPython.display import Markdown, display

        with pd.option_context("display.max_colwidth", None, "display.max_rows", None):
            for source, title in self.sources.items():
                display(Markdown(f"**{title}**"), self.claims(source, "contradicted"))

    def draw(self) -> None:
        """Draw how many verdicts there are of each kind, save it as PDF and PNG, and show it.

        What published studies say has a bar, what this project says of its own data has none.
        """
        from IPython.display import Image, display

        from tcpgoodput.drawing import theme

        theme.apply(self.style)
        theme.save(self._picture(), self.stem)
        display(Image(self.stem.with_suffix(".png").read_bytes(), width=760))

    def _picture(self) -> Picture:
        from matplotlib.patches import Patch

        from tcpgoodput.drawing import theme

        drawn = self._of_studies
        evidence = [e for e in EVIDENCE if (drawn["evidence"] == e).any()] or ["model"]
        picture = theme.new_picture(self.style, ROW_CM * len(self.studies) + 2.3)
        grid = picture.subplots(1, len(evidence), sharey=True, squeeze=False)
        for axes, kind in zip(grid.flat, evidence, strict=True):
            self._draw_bars(axes, kind)
        handles = [Patch(color=look.colour, label=look.label) for look in self._looks.values()]
        columns = (len(VERDICTS) + 1) // 2
        picture.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)
        return picture

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
            hue=pd.Categorical(own["verdict"], VERDICTS[::-1]),  # seaborn begins with the last
            palette={verdict: look.colour for verdict, look in self._looks.items()},
            multiple="stack",
            shrink=0.8,
            alpha=1,
            legend=False,
            ax=axes,
        )
        widest = own["source"].value_counts().max()
        for bars in axes.containers:
            counts = [bar.get_width() for bar in bars]
            texts = [f"{c:.0f}" if c >= NARROWEST_NUMBER * widest else "" for c in counts]
            axes.bar_label(bars, texts, label_type="center", fontsize="small")
        axes.set(title=EVIDENCE_TITLES[evidence], xlabel="claims", ylabel="")
        axes.grid(visible=False, axis="y")
