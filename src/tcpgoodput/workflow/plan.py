"""The plan of a run: which files it makes, from its checked configuration."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tcpgoodput.census.extents import KEPT, RECORDED, SAMPLE
from tcpgoodput.configuration import refused
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.engines.names import REFERENCE
from tcpgoodput.engines.records import COMPARISON, recorded_files
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.keeping.describe import NAME as DATAPACKAGE
from tcpgoodput.keeping.manifest import CELLS
from tcpgoodput.keeping.manifest import NAME as MANIFEST
from tcpgoodput.models import COSTLY_CURVES, MODELS
from tcpgoodput.project.configuration import DEFAULT_PATH, Configuration, Settings
from tcpgoodput.project.run import Run
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.studies.schema import Figure, LadderFigure, LineFigure, TableFigure
from tcpgoodput.workflow.captions import caption_rst
from tcpgoodput.workflow.census import CensusFiles
from tcpgoodput.workflow.comparison import ComparisonFiles
from tcpgoodput.workflow.published import published_by_rule

REPORT_TABLES = ("errata", "inventory", "macros", "agreement", "fallen_sentences")
REPORT_PARTS = (
    "macros",
    "standing",
    "errata",
    "inventory",
    "models",
    "defaults",
    "sections",
    "provenance",
    "ns2",
    "referees",
    "profiles",
    "records",
    "intervals",
    "speed",
    "trust",
    "version",
    "claims",
    "reductions",
    "side_by_side",
    "compared_referees",
    "scenarios_appendix",
    "census",
)
COMPARISON_PARTS = ("choice", "held", "maps", "scenarios")

EXPLORER = "explorer"

Record = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """The files of one run, from its checked configuration."""

    configuration: Configuration
    given: Mapping[str, Any]
    began: float = field(default_factory=time.time)
    """When this run of the workflow was asked for, in seconds since 1970."""

    @classmethod
    def from_command_line(cls, given: Mapping[str, Any], files: Sequence[str]) -> Plan:
        """Read the settings file and what `--config key=value` changes in it.

        Raises:
            ConfigurationError: anything wrong in any file, or an unknown key.

        """
        if files:
            raise refused(
                str(files[0]),
                "",
                "give it as --config configuration=FILE: --configfile is not read",
            )
        changes = dict(given)
        path = changes.pop("configuration", DEFAULT_PATH)
        if not isinstance(path, str | Path) or not str(path).strip():
            raise refused("--config", "configuration", "needs a file: configuration=FILE")
        known = ["configuration", *Settings.model_fields]
        for key, value in changes.items():
            if key not in known:
                message = f"unknown key{nearest(key, known)} ({choices(known)})"
                raise refused("--config", key, message)
            if value is None:
                raise refused("--config", key, f"needs a value: {key}=VALUE")
        return cls(load_configuration(Path(path), changes), changes)

    @property
    def run(self) -> Run:
        """Where this run's files are."""
        return Run(self.configuration.settings.run_name)

    @property
    def made_of(self) -> Record:
        """What decides all results of a run, apart from single figures and scenarios."""
        settings = self.configuration.settings
        chosen = settings.model_dump(include={"precision", "equations", "seed"})
        return {"configuration": str(self.configuration.path), **chosen}

    @property
    def changes(self) -> str:
        """What the command line changes in the settings, as JSON."""
        return json.dumps(dict(self.given), sort_keys=True)

    @property
    def studies(self) -> list[str]:
        """The studies, in the report's order."""
        return list(self.configuration.sources)

    @property
    def typesetter(self) -> str | None:
        """The LaTeX program that is at hand."""
        return shutil.which("latexmk") or shutil.which("tectonic")

    @property
    def targets(self) -> list[str]:
        """All that `snakemake` makes without being asked for anything else."""
        files = [file for study in self.studies for file in self.pictures(study)]
        files += [f"{self.run.results}/{study}/{study}.ipynb" for study in self.studies]
        files += [*self.agreement, *self.claims, *self.comparison.tables]
        files += [
            *self.comparison.pictures,
            *self.comparison.map_pictures,
            *self.comparison.notebooks,
        ]
        for census in self.censuses.values():
            files += [census.table(SAMPLE), *census.pictures(census.read)]
        files += self.census_findings
        files += [*self.explorer, *self.report_parts, *self.manifest]
        files.append(f"{self.run.results}/{DATAPACKAGE}")
        return [*files, self.run.report] if self.typesetter else files

    def figures(self, study: str) -> dict[str, Figure]:
        """Return a study's figures and tables."""
        return self.configuration.sources[study].figures.figures

    def figure(self, study: str, name: str) -> Figure | None:
        """Return a figure, None if there is none of this name."""
        return self.figures(study).get(name)

    def caption(self, study: str, figure: str) -> str:
        """Return what Snakemake's own report says of a figure."""
        asked = self.figure(study, figure)
        return caption_rst(asked.title, asked.caption) if asked else ""

    @staticmethod
    def notebook(study: str) -> str:
        """Return the notebook of a study: its own, or the one for any study."""
        own = f"notebooks/{study}.ipynb"
        return own if Path(own).is_file() else "notebooks/study.ipynb"

    @property
    def measured(self) -> list[str]:
        """The tables of measurements of studies."""
        folder = f"{self.run.results}/measurements"
        return [f"{folder}/{study}.csv" for study in self.studies if self._asks_to_measure(study)]

    def _asks_to_measure(self, study: str) -> bool:
        return any(engines_of(figure) & {REFERENCE} for figure in self.figures(study).values())

    @staticmethod
    def any_of(names: Sequence[str]) -> str:
        """Return the pattern that matches some names and no other."""
        return "|".join(re.escape(name) for name in names) or "(?!)"

    def measured_for(self, study: str, figure: str) -> list[str]:
        """Return the measurements that answering a figure needs."""
        engines = engines_of(self.figure(study, figure))
        return [f"{self.run.results}/measurements/{study}.csv"] if REFERENCE in engines else []

    def records_of(self, study: str, figure: str) -> list[str]:
        """Return the recorded measurements that a figure shows, those that are there."""
        engines = engines_of(self.figure(study, figure)) & REFEREES.keys()
        return [str(f) for engine in sorted(engines) for f in recorded_files(engine, study)]

    def caches_of(self, study: str, figure: str) -> list[str]:
        """Return the caches that must be there before a figure is answered."""
        asked = self.figure(study, figure)
        caches = {
            ".cache/warm/models": _is_costly(asked),
            ".cache/warm/engines": _is_simulated(asked),
        }
        return [cache for cache, needed in caches.items() if needed]

    @property
    def answers(self) -> list[str]:
        """The answers of all figures."""
        return [
            f"{self.run.results}/{study}/answers/{name}.csv"
            for study in self.studies
            for name in self.figures(study)
        ]

    @property
    def published(self) -> list[str]:
        """The published numbers of all figures."""
        return [
            f"{self.run.results}/{study}/{name}.csv"
            for study in self.studies
            for name in self.figures(study)
        ]

    def shown(self, study: str) -> list[str]:
        """Return what a study's notebook shows: pictures, and the rows of tables."""
        tables = [n for n, f in self.figures(study).items() if isinstance(f, TableFigure)]
        rows = [f"{self.run.results}/{study}/{name}.csv" for name in tables]
        return rows + [p for p in self.pictures(study) if p.endswith(".png")]

    def pictures(self, study: str) -> list[str]:
        """Return the pictures of a study."""
        return [
            f"{self.run.figures}/{study}/{name}.{suffix}"
            for name, figure in self.figures(study).items()
            if not isinstance(figure, TableFigure)
            for suffix in ("pdf", "png")
        ]

    @property
    def refereed(self) -> list[tuple[str, str]]:
        """The referees, each with a study whose figures ask for it, or with the comparison."""
        asked = [
            (engine, study)
            for study in self.studies
            for engine in REFEREES
            if any(engine in engines_of(figure) for figure in self.figures(study).values())
        ]
        return asked + [(engine, COMPARISON) for engine in REFEREES if self.comparison.scenarios]

    @property
    def comparison(self) -> ComparisonFiles:
        """The files of the comparison."""
        return ComparisonFiles(self.run, self.configuration.comparison)

    @property
    def censuses(self) -> dict[str, CensusFiles]:
        """The files of each census."""
        return {n: CensusFiles(self.run, s) for n, s in self.configuration.censuses.items()}

    def beside(self, census: str, extent: str) -> str:
        """Return the table of the census beside one: as much of it, of a record what is known."""
        other, as_much = self._beside(census, extent)
        return other.table(as_much)

    def tree_beside(self, census: str, extent: str) -> str:
        """Return the tree of advice of the census beside one; see `beside`."""
        other, as_much = self._beside(census, extent)
        return other.tree(as_much)

    def _beside(self, census: str, extent: str) -> tuple[CensusFiles, str]:
        name = self.censuses[census].space.census.beside
        assert name is not None  # or no rule asks
        other = self.censuses[name]
        return other, other.read if extent == RECORDED else extent

    @property
    def referee_summaries(self) -> list[str]:
        """What recording all referees again leaves beside the records."""
        folder = f"{self.run.results}/referees"
        return [f"{folder}/{engine}/{study}.json" for engine, study in self.refereed]

    @property
    def agreement(self) -> list[str]:
        """What holding the simulator against the referees writes."""
        results = [f"{self.run.results}/referees.{suffix}" for suffix in ("csv", "json", "ipynb")]
        names = ["agreement", "scenarios"] if self.comparison.scenarios else ["agreement"]
        return results + self.run.drawn("referees", names)

    @property
    def claims(self) -> list[str]:
        """Return the files of the ledger of claims."""
        names = ("claims.csv", "claims_readings.csv", "claims.json", "claims.ipynb")
        results = [f"{self.run.results}/{name}" for name in names]
        return results + self.run.drawn("claims", ["verdicts"])

    @property
    def executed_notebooks(self) -> list[str]:
        """The notebooks that a run executes."""
        of_studies = [f"{self.run.results}/{study}/{study}.ipynb" for study in self.studies]
        every = [*of_studies, *self.comparison.notebooks, *self.claims, *self.agreement]
        return [file for file in every if file.endswith(".ipynb")]

    @property
    def census_findings(self) -> list[str]:
        """What the censuses say that the main job reads."""
        return [
            file
            for census in self.censuses.values()
            for file in (*census.findings(census.read), *census.told_beside(census.read))
        ]

    @property
    def explorer(self) -> list[str]:
        """The page that holds what the run has found, in one file."""
        return [f"{self.run.results}/{EXPLORER}.html"] if self.comparison.scenarios else []

    @property
    def sample(self) -> list[str]:
        """What is kept of random connections, from which advice without a simulation comes."""
        return sorted(str(file) for file in KEPT.glob("*") if file.suffix in (".csv", ".json"))

    @property
    def explored_pictures(self) -> list[str]:
        """The pictures on that page."""
        own = [picture for study in self.studies for picture in self.pictures(study)]
        return [picture for picture in own if picture.endswith(".png")]

    @property
    def kept(self) -> list[str]:
        """All published files, which the manifest lists."""
        every = (file for files in published_by_rule(self).values() for file in files)
        return [f"{self.run.root}/{file}" if self.run.name else file for file in every]

    @property
    def tables(self) -> list[str]:
        """All published tables."""
        return [file for file in self.kept if file.endswith(".csv")]

    @property
    def archive(self) -> str:
        """The project as one file."""
        return f"{self.run.results}/tcpgoodput-{version('tcpgoodput')}.tar.gz"

    @property
    def manifest(self) -> list[str]:
        """The manifest, and the cells of all tables beside it."""
        return [f"{self.run.results}/{name}" for name in (MANIFEST, CELLS)]

    @property
    def report_parts(self) -> list[str]:
        """What the report includes: numbers, tables, lists of figures."""
        compared = COMPARISON_PARTS if self.comparison.scenarios else ()
        parts = [f"{self.run.results}/report/{part}.tex" for part in (*REPORT_PARTS, *compared)]
        parts.append(f"{self.run.results}/report/models.bib")
        parts += [f"{self.run.results}/{table}.csv" for table in REPORT_TABLES]
        lists = ("figures", "agreement")
        return parts + [
            f"{self.run.results}/{study}/{part}.tex" for study in self.studies for part in lists
        ]

    @property
    def report_pictures(self) -> list[str]:
        """The pictures that the report includes."""
        own = [picture for study in self.studies for picture in self.pictures(study)]
        every = [*own, *self.claims, *self.agreement]
        every += [*self.comparison.pictures, *self.comparison.map_pictures]
        every += [p for census in self.censuses.values() for p in census.pictures(census.read)]
        return [file for file in every if file.endswith(".pdf")]

    @cached_property
    def records(self) -> list[str]:
        """The recorded measurements that the report shows."""
        every = (p for p in Path("data").rglob("*") if p.suffix in (".csv", ".json"))
        return sorted(str(p) for p in every if p.name != DATAPACKAGE)

    @property
    def report_templates(self) -> list[str]:
        """The titles, headings and layouts of the report's tables."""
        return sorted(map(str, Path("paper/tables").glob("*")))

    @property
    def paper_sources(self) -> list[str]:
        """The report's own files."""
        return sorted(str(p) for p in [*Path("paper").rglob("*.tex"), *Path("paper").glob("*.bib")])


def _is_costly(figure: Figure | None) -> bool:
    panels = figure.panels.values() if isinstance(figure, LineFigure) else ()
    series = [s for panel in panels for s in panel.series]
    return any(s.curve in COSTLY_CURVES or (s.model and MODELS[s.model].costly) for s in series)


def _is_simulated(figure: Figure | None) -> bool:
    """Tell whether a figure steps the simulator's senders, which numba must compile."""
    match figure:
        case LineFigure():
            named = [s.curve or "" for p in figure.panels.values() for s in p.series]
        case LadderFigure():
            named = [p.table for p in figure.panels.values()]
        case TableFigure():
            named = [figure.table]
        case _:
            named = []
    return any(name.startswith("simulator.") for name in named)


def engines_of(figure: Figure | None) -> set[str]:
    """Return the engines that a figure shows."""
    panels = figure.panels.values() if isinstance(figure, LineFigure) else ()
    return {series.engine for panel in panels for series in panel.series if series.engine}
