"""The run's settings, and everything that a run is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from tcpgoodput.answers import Conditions
from tcpgoodput.scenario.types import Part, PlainText
from tcpgoodput.studies.schema import Name

if TYPE_CHECKING:
    from tcpgoodput.census.space import Space
    from tcpgoodput.claims.source import SourceClaims
    from tcpgoodput.comparison.files import Compared
    from tcpgoodput.comparison.schema import Family
    from tcpgoodput.studies.source import Source
    from tcpgoodput.style.looks import Style

DEFAULT_PATH = Path("config/config.yaml")
"""The settings that are read where none are named."""

TAKEN = ("agreement", "census", "claims", "comparison", "explorer", "referees", "report")
"""Names of files and folders that the workflow has itself, beside those of the studies."""


RunName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=80)]


class Settings(Part):
    """The file `config/config.yaml`."""

    sources: Annotated[list[Name], Field(min_length=1)] = Field(
        description="studies to recompute, in the report's order; each has a file of figures"
    )
    precision: Literal["draft", "paper"] = Field(
        "paper", description="draft: coarser sweeps and shorter runs, for a first look"
    )
    equations: Literal["corrected", "printed"] = Field(
        "corrected", description="printed: the sources' own misprints left in"
    )
    seed: Annotated[int, Field(ge=0, le=2**63)] = Field(
        1, description="first part of the key of every random stream"
    )
    run: RunName | None = Field(
        None,
        description="name of the run: its results, figures and report are in runs/NAME/; null: "
        "in results/, figures/ and paper/, and of a draft in runs/draft/",
    )
    figures: PlainText = Field(
        "figures", description="folder of the files of figures, beside this file"
    )
    claims: PlainText = Field(
        "claims", description="folder of the files of claims, beside this file; none is needed"
    )
    sentences: Literal["must-hold", "mark"] = Field(
        "mark",
        description="a sentence of the report that its numbers no longer bear out, or that is "
        "about what is not in the run, is marked there; must-hold, for this project's own CI: at "
        "precision paper it also ends the run",
    )
    referee_points: Literal["all", "missing", "quick"] = Field(
        "all",
        description="what `snakemake referees` records: everything again, what is not recorded "
        "yet, or a sample, which goes to results/referees/sample and leaves data/ alone",
    )
    recordings: PlainText | None = Field(
        None,
        description="folder of recorded links, for `snakemake links` alone: they do not ship, and "
        "config/links.yaml says where they are published",
    )
    style: PlainText = Field(
        "style.yaml", description="names, colours and markers, beside this file"
    )
    comparison: PlainText | None = Field(
        None, description="file of the comparison of all models, beside this file; null = none"
    )
    census: PlainText | None = Field(
        None,
        description="folder of censuses (random samples of connections), beside it; null = none",
    )
    models: list[PlainText] = Field(
        default_factory=list,
        description="Python files with models of your own, beside this file; they are run as "
        "programs are: name none that you do not trust",
    )

    @property
    def run_name(self) -> str | None:
        """The run's name; a draft has its own, so that it overwrites nothing at precision paper."""
        return self.run or ("draft" if self.precision == "draft" else None)

    @property
    def conditions(self) -> Conditions:
        """The conditions under which models are asked."""
        return Conditions(self.equations, self.precision, self.seed)


@dataclass(frozen=True)
class Configuration:
    """Everything that a run is made of, read and checked."""

    path: Path
    settings: Settings
    style: Style
    sources: dict[str, Source]
    claims: dict[str, SourceClaims]
    """Of the sources that have a file of claims."""
    comparison: Compared | None = None
    censuses: dict[str, Space] = field(default_factory=dict)
    """By the stem of each file's name."""

    @property
    def families(self) -> list[Family]:
        """The families of models that the comparison names."""
        return self.comparison.settings.families if self.comparison else []
