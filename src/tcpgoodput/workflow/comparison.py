"""The files of the comparison: its scenarios and maps, tables, pictures, notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tcpgoodput.comparison.files import Compared
from tcpgoodput.engines.records import COMPARISON, recorded_files
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.project.run import Run

CAPTIONS = Path("workflow/report/comparison")
"""For Snakemake's own report."""

MAP = "map_"
"""How the names of the maps' pictures begin."""

HELD, HELD_PART = "held", "comparison/held"
"""The picture of the held-out scenarios, and what is measured of them."""


@dataclass(frozen=True)
class ComparisonFiles:
    """Where a run has what belongs to the comparison; nothing where there is none."""

    run: Run
    compared: Compared | None

    @property
    def scenarios(self) -> list[str]:
        """The scenarios that all models are compared on, by the stems of their files."""
        return list(self.compared.scenarios) if self.compared else []

    @property
    def maps(self) -> list[str]:
        """The maps of the comparison."""
        return list(self.compared.settings.maps) if self.compared else []

    @property
    def parts(self) -> list[str]:
        """The comparison's scenarios, measured and answered by every model."""
        return [f"{self.run.results}/comparison/scenarios/{stem}.json" for stem in self.scenarios]

    @property
    def held_parts(self) -> list[str]:
        """The held-out scenarios, measured and answered by every model."""
        stems = self.compared.held if self.compared else ()
        return [f"{self.run.results}/comparison/scenarios/{stem}.json" for stem in stems]

    @property
    def answered(self) -> list[str]:
        """All scenarios, measured and answered by every model."""
        return [*self.parts, *self.held_parts]

    @property
    def measured(self) -> list[str]:
        """The tables of measurements of the comparison's scenarios."""
        parts = ["comparison", HELD_PART] if self.held_parts else ["comparison"]
        return [f"{self.run.results}/measurements/{part}.csv" for part in parts]

    @property
    def map_parts(self) -> list[str]:
        """The comparison's maps, measured and answered by the models."""
        return [f"{self.run.results}/comparison/maps/{name}.csv" for name in self.maps]

    @property
    def tables(self) -> list[str]:
        """The comparison's published tables."""
        if not self.scenarios:
            return []
        names = ("families", "held", "ranking", "sensitivity", "misjudged")
        own = [f"{self.run.results}/comparison/{name}.csv" for name in names]
        return [f"{self.run.results}/comparison.csv", *own]

    @property
    def pictures(self) -> list[str]:
        """The pictures of the comparison's scenarios."""
        if not self.scenarios:
            return []
        names = ["matrix", "ranking", "sensitivity"]
        return self.run.drawn("comparison", [*names, HELD] if self.held_parts else names)

    @property
    def map_pictures(self) -> list[str]:
        """The pictures of the comparison's maps."""
        return self.run.drawn("comparison", [f"{MAP}{name}" for name in self.maps])

    @property
    def shown(self) -> list[str]:
        """The notebooks that show the comparison, by name: its scenarios, its maps."""
        parts = {"comparison": self.scenarios, "comparison_maps": self.maps}
        return [name for name, there in parts.items() if there]

    @property
    def notebooks(self) -> list[str]:
        """The same notebooks, executed."""
        return [f"{self.run.results}/comparison/{name}.ipynb" for name in self.shown]

    def shown_in(self, notebook: str) -> list[str]:
        """Return the pictures that a notebook shows."""
        return self.map_pictures if notebook == "comparison_maps" else self.pictures

    @property
    def recorded(self) -> list[str]:
        """The files of what referees measured of the comparison, those that are there."""
        return [str(file) for engine in REFEREES for file in recorded_files(engine, COMPARISON)]

    def shown_by(self, picture: str) -> list[str]:
        """Return the data behind a picture of the comparison."""
        if picture.startswith(MAP):
            return [f"{self.run.results}/comparison/maps/{picture.removeprefix(MAP)}.csv"]
        if picture == HELD:
            return self.answered
        return self.parts

    def looks_of(self, picture: str) -> str:
        """Return what a picture of the comparison looks like."""
        part = "comparison_maps" if picture.startswith(MAP) else "comparison"
        return f"{self.run.plan}/looks/{part}.json"

    @staticmethod
    def caption(picture: str) -> str:
        """Return what Snakemake's own report says of a picture of the comparison."""
        file = CAPTIONS / f"{picture.partition('_')[0]}.rst"
        return file.read_text(encoding="utf-8") if file.is_file() else ""
