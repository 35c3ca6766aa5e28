"""What the Snakefile asks: which files there are, and what each of them depends on."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from shlex import quote
from typing import Any

from tcpgoodput.configuration import refused
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.drawing.gallery import described
from tcpgoodput.engines import REFEREES, REFERENCE
from tcpgoodput.models import CURVES, MODELS, TABLES
from tcpgoodput.project.settings import DEFAULT_PATH, Configuration, Settings, load_configuration
from tcpgoodput.referees.points import COMPARISON
from tcpgoodput.referees.records import provenance_path, table_path
from tcpgoodput.studies.compute import is_costly, is_simulated
from tcpgoodput.studies.schema import Figure, LadderFigure, LineFigure, TableFigure
from tcpgoodput.workflow.closure import imported_files
from tcpgoodput.workflow.run import Run

REPORT_TABLES = ("errata", "inventory", "macros", "agreement")
REPORT_PARTS = (
    "macros",
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
    "version",
    "claims",
    "reductions",
    "side_by_side",
    "compared_referees",
    "scenarios_appendix",
)
COMPARISON_PARTS = ("choice", "maps", "scenarios")
PACKAGE = Path(__file__).parents[1]


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
        path = Path(changes.pop("configuration", DEFAULT_PATH))
        known = ["configuration", *Settings.model_fields]
        for key in changes:
            if key not in known:
                message = f"unknown key{nearest(key, known)} ({choices(known)})"
                raise refused("--config", key, message)
        return cls(load_configuration(path, changes), changes)

    @property
    def run(self) -> Run:
        """Where this run's files are."""
        return Run(self.configuration.settings.run_name)

    @property
    def made_of(self) -> dict[str, Any]:
        """What decides all results of a run, apart from single figures and scenarios."""
        settings = self.configuration.settings
        chosen = settings.model_dump(include={"precision", "equations", "seed"})
        return {"configuration": str(self.configuration.path), **chosen}

    @property
    def shell_prefix(self) -> str:
        """What the shell of every job knows: where results go, and how to run a module of ours.

        Braces are doubled, as in all that Snakemake formats.
        """
        changes = json.dumps(dict(self.given), sort_keys=True)
        known = {
            "python": sys.executable,
            "results": self.run.results,
            "settings": str(self.configuration.path),
            "changes": changes,
        }
        values = "; ".join(f"{name}={quote(value)}" for name, value in known.items())
        run = 'run() { "$python" -m "$@"; }'
        job = 'job() { run "$1" --changes "$changes" "$settings" "${@:2}"; }'
        prefix = f"set -euo pipefail; {values}; {run}; {job}; "
        return prefix.replace("{", "{{").replace("}", "}}")

    @property
    def sources(self) -> list[str]:
        """The sources, in the report's order."""
        return list(self.configuration.sources)

    @property
    def typesetter(self) -> str | None:
        """The LaTeX program that is at hand."""
        return shutil.which("latexmk") or shutil.which("tectonic")

    @property
    def targets(self) -> list[str]:
        """All that `snakemake` makes without being asked for anything else."""
        files = [file for source in self.sources for file in self.pictures(source)]
        files += [f"{self.run.results}/{source}/{source}.ipynb" for source in self.sources]
        files += [
            f"{self.run.results}/{source}/simulation.ipynb" for source in self.simulated_sources
        ]
        files += [*self.agreement, *self.claims, *self.comparison_tables]
        files += [*self.comparison_pictures, *self.map_pictures]
        files += self.report_parts
        return [*files, self.run.report] if self.typesetter else files

    def figures(self, source: str) -> dict[str, Figure]:
        """Return a source's figures and tables."""
        return self.configuration.sources[source].figures.figures

    @staticmethod
    def notebook(source: str) -> str:
        """Return the notebook that draws a source's figures: its own, or the one for any study."""
        own = f"notebooks/{source}.ipynb"
        return own if Path(own).is_file() else "notebooks/study.ipynb"

    def computed(self, source: str) -> list[str]:
        """Return the files of a source's numbers, as the drawing reads them."""
        return [f"{self.run.results}/{source}/computed/{name}.csv" for name in self.figures(source)]

    def batches(self, source: str) -> dict[str, list[str]]:
        """Return which figures one job computes: the quick ones together, each other alone."""
        figures = self.figures(source)
        costly = [name for name in figures if is_costly(figures[name])]
        measured = [name for name in figures if self.is_measured(source, name)]
        together = {
            "quick": [name for name in figures if name not in [*costly, *measured]],
            "measured": [name for name in measured if name not in costly],
        }
        batches = {name: names for name, names in together.items() if names}
        return batches | {name: [name] for name in costly}

    def caches(self, source: str, figures: Sequence[str]) -> list[str]:
        """Return the caches that must be there before figures are computed."""
        asked = self.figures(source)
        costly = any(is_costly(asked[name]) for name in figures)
        simulated = any(is_simulated(asked[n]) or _steps_senders(asked[n]) for n in figures)
        caches = {".cache/warm/models": costly, ".cache/warm/engines": simulated}
        return [cache for cache, needed in caches.items() if needed]

    def is_measured(self, source: str, name: str) -> bool:
        """Tell whether a figure asks the packet simulator."""
        figure = self.figures(source)[name]
        if not isinstance(figure, LineFigure):
            return False
        return any(s.engine == REFERENCE for p in figure.panels.values() for s in p.series)

    def measured(self, source: str, figures: Sequence[str] | None = None) -> list[str]:
        """Return the files of a source's measurements, or of those of some of its figures."""
        return [
            f"{self.run.results}/{source}/measured/{name}.csv"
            for name in figures or self.figures(source)
            if self.is_measured(source, name)
        ]

    @staticmethod
    def recorded(source: str) -> list[str]:
        """Return the files of what referees measured for a source, those that are there."""
        tables = [table_path(engine, source) for engine in REFEREES]
        return [str(f) for t in tables for f in (t, provenance_path(t)) if f.is_file()]

    @property
    def refereed(self) -> list[tuple[str, str]]:
        """The referees, each with a source whose figures ask for it, or with the comparison."""
        asked = [
            (engine, source)
            for source in self.sources
            for engine in REFEREES
            if any(
                series.engine == engine
                for figure in self.figures(source).values()
                if isinstance(figure, LineFigure)
                for panel in figure.panels.values()
                for series in panel.series
            )
        ]
        return asked + [(engine, COMPARISON) for engine in REFEREES if self.compared_files]

    @property
    def referee_summaries(self) -> list[str]:
        """What recording all referees again leaves beside the records."""
        return [
            f"{self.run.results}/referees/{engine}/{source}.json"
            for engine, source in self.refereed
        ]

    @property
    def agreement(self) -> list[str]:
        """What holding the simulator against the referees writes."""
        results = [f"{self.run.results}/referees.{suffix}" for suffix in ("csv", "json", "ipynb")]
        names = ["agreement", "scenarios"] if self.compared_files else ["agreement"]
        pictures = [
            f"{self.run.figures}/referees/{n}.{suffix}" for n in names for suffix in ("pdf", "png")
        ]
        return results + pictures

    @property
    def agreement_shown(self) -> str:
        """Return a digest of how referees are shown."""
        shown = [self.shown(source) for source in self.sources]
        return self._digest([shown, [self.compared(name) for name in self.compared_files]])

    @property
    def simulated_sources(self) -> list[str]:
        """The sources whose figures ask for measurements."""
        return [source for source in self.sources if self.measured(source)]

    def measurements(self, source: str) -> str:
        """Return a digest of all that a source's measurements depend on."""
        study = self.configuration.sources[source]
        settings = self.configuration.settings
        content: list[Any] = [settings.precision, settings.seed]
        for name, figure in self.figures(source).items():
            if not self.is_measured(source, name) or not isinstance(figure, LineFigure):
                continue
            for key, panel in figure.panels.items():
                kept = panel.model_dump(mode="json", include={"scenario", "set", "sweep"})
                measured = {
                    position: [series.engine, series.set]
                    for position, series in enumerate(panel.series)
                    if series.engine == REFERENCE
                }
                base = study.scenarios[panel.scenario] if panel.scenario else None
                scenario = base.model_dump(mode="json") if base else None
                content.append([name, key, kept, measured, scenario])
        return digest(content)

    def published(self, source: str) -> list[str]:
        """Return the files of a source's numbers, under the labels that the figures show."""
        return [f"{self.run.results}/{source}/{name}.csv" for name in self.figures(source)]

    def pictures(self, source: str) -> list[str]:
        """Return the pictures of a source."""
        return [
            f"{self.run.figures}/{source}/{name}.{suffix}"
            for name, figure in self.figures(source).items()
            if not isinstance(figure, TableFigure)
            for suffix in ("pdf", "png")
        ]

    def caption(self, source: str, name: str) -> str:
        """Return the file of a figure's or table's caption."""
        return f"{self.run.results}/report/captions/{source}/{name}.rst"

    @property
    def claims(self) -> list[str]:
        """Return the files of the ledger of claims."""
        results = [f"{self.run.results}/claims.{suffix}" for suffix in ("csv", "json", "ipynb")]
        return results + [
            f"{self.run.figures}/claims/verdicts.{suffix}" for suffix in ("pdf", "png")
        ]

    @property
    def caches_of_claims(self) -> list[str]:
        """Return the caches that must be there before claims ask models and draw."""
        figures = [f for source in self.sources for f in self.figures(source).values()]
        costly = [".cache/warm/models"] if any(map(is_costly, figures)) else []
        return [".cache/warm/fonts", *costly]

    @property
    def claimed(self) -> str:
        """Return a digest of all that the claims' verdicts depend on apart from published data."""
        content: list[Any] = []
        for name, claims in self.configuration.claims.items():
            content.append(
                [claim.model_dump(mode="json", by_alias=True) for claim in claims.claims]
            )
            scenarios = self.configuration.sources[name].scenarios
            content.append({key: s.model_dump(mode="json") for key, s in scenarios.items()})
        shown = [self.shown(source) for source in self.sources]
        return self._digest([content, shown])

    @property
    def compared_files(self) -> list[str]:
        """The scenarios that all models are compared on, by the stems of their files."""
        compared = self.configuration.comparison
        return list(compared.scenarios) if compared else []

    @property
    def mapped_regions(self) -> list[str]:
        """The maps of the comparison."""
        compared = self.configuration.comparison
        return list(compared.settings.maps) if compared else []

    @staticmethod
    def names_of(names: Sequence[str]) -> str:
        """Return the pattern that matches some names and no other."""
        return "|".join(re.escape(name) for name in names) or "(?!)"

    @property
    def measured_parts(self) -> list[str]:
        """Return what measuring the comparison's scenarios writes."""
        folder = f"{self.run.results}/comparison/measured/scenarios"
        return [f"{folder}/{name}.json" for name in self.compared_files]

    @property
    def compared_parts(self) -> list[str]:
        """Return the comparison's scenarios, measured and answered by every model."""
        return [
            f"{self.run.results}/comparison/scenarios/{name}.json" for name in self.compared_files
        ]

    @property
    def mapped_parts(self) -> list[str]:
        """Return the comparison's maps, measured and answered by the models."""
        return [f"{self.run.results}/comparison/maps/{name}.csv" for name in self.mapped_regions]

    @property
    def comparison_tables(self) -> list[str]:
        """Return the comparison's published tables."""
        if not self.compared_files:
            return []
        names = ("comparison.csv", "comparison/ranking.csv", "comparison/sensitivity.csv")
        return [f"{self.run.results}/{name}" for name in names]

    @property
    def comparison_pictures(self) -> list[str]:
        """Return the pictures of the comparison's scenarios."""
        compared = self.configuration.comparison
        if compared is None:
            return []
        again = [f"matrix_{name}".replace("-", "_") for name in compared.settings.again]
        names = ["matrix", *again, "ranking", "choice", "sensitivity"]
        return [
            f"{self.run.figures}/comparison/{n}.{suffix}"
            for n in names
            for suffix in ("pdf", "png")
        ]

    @property
    def map_pictures(self) -> list[str]:
        """Return the pictures of the comparison's maps."""
        names = self.mapped_regions
        return [
            f"{self.run.figures}/comparison/map_{n}.{suffix}"
            for n in names
            for suffix in ("pdf", "png")
        ]

    def compared(self, name: str) -> str:
        """Return a digest of all that measuring a scenario's file depends on."""
        compared = self.configuration.comparison
        assert compared is not None  # or nothing would ask
        scenarios = [*compared.rows(name), *compared.sensitivities(name)]
        return self._measured([s.model_dump(mode="json", exclude={"title"}) for s in scenarios])

    def mapped(self, name: str) -> str:
        """Return a digest of all that measuring a map depends on."""
        compared = self.configuration.comparison
        assert compared is not None  # or nothing would ask
        keys = {"packets": True, "x": {"values", "set"}, "y": {"values", "set"}}
        region = compared.settings.maps[name].model_dump(mode="json", include=keys)
        scenario = compared.mapped[name].model_dump(mode="json", exclude={"title"})
        return self._measured([region, scenario])

    def models_of_map(self, name: str) -> list[str]:
        """Return the models that a map asks, and how."""
        compared = self.configuration.comparison
        assert compared is not None  # or nothing would ask
        return [*compared.drawn(name), self.configuration.settings.equations]

    def comparison_shown(self, what: str) -> str:
        """Return a digest of all that a part of the comparison's pictures need besides its data."""
        from tcpgoodput.comparison.notebook import DESCRIPTIONS

        return digest(DESCRIPTIONS[what](self.configuration))

    def _measured(self, content: Any) -> str:
        """Return a digest of what is measured under the run's conditions."""
        settings = self.configuration.settings
        return digest([content, settings.precision, settings.seed])

    def _digest(self, content: Any) -> str:
        """Return a digest of content under the run's conditions."""
        settings = self.configuration.settings
        return digest([content, settings.precision, settings.equations, settings.seed])

    @property
    def report_parts(self) -> list[str]:
        """Return what the report includes: numbers, tables, lists of figures."""
        compared = COMPARISON_PARTS if self.compared_files else ()
        parts = [f"{self.run.results}/report/{part}.tex" for part in (*REPORT_PARTS, *compared)]
        parts.append(f"{self.run.results}/report/models.bib")
        parts += [
            self.caption(source, name) for source in self.sources for name in self.figures(source)
        ]
        parts += [f"{self.run.results}/{table}.csv" for table in REPORT_TABLES]
        lists = ("figures", "agreement")
        return parts + [
            f"{self.run.results}/{source}/{part}.tex" for source in self.sources for part in lists
        ]

    @property
    def records(self) -> list[str]:
        """Return the recorded measurements that the report shows."""
        return sorted(str(p) for p in Path("data").rglob("*") if p.suffix in (".csv", ".json"))

    @property
    def paper_sources(self) -> list[str]:
        """Return the report's own files."""
        return sorted(str(p) for p in [*Path("paper").rglob("*.tex"), *Path("paper").glob("*.bib")])

    def asked(self, source: str, name: str) -> str:
        """Return a digest of all that a figure's data depend on; how it looks is left out."""
        study = self.configuration.sources[source]
        figure = study.figures.figures[name]
        content = figure.model_dump(mode="json", by_alias=True, exclude=_looks(figure))
        used = {
            key: scenario.model_dump(mode="json")
            for key, scenario in study.scenarios.items()
            if key in _named_scenarios(figure)
        }
        return self._digest([content, used])

    def shown(self, source: str) -> str:
        """Return a digest of all that a source's pictures depend on apart from their data."""
        return self._shown[source]

    @cached_property
    def _shown(self) -> dict[str, str]:
        return {source: digest(described(self.configuration, source)) for source in self.sources}

    @property
    def measuring_code(self) -> str:
        """Return a digest of the code that measures the comparison's scenarios."""
        return imported_code("tcpgoodput.comparison.measuring")

    @property
    def answering_code(self) -> str:
        """Return a digest of the code that asks all models, theirs included."""
        models = (type(model).__module__ for model in MODELS.values())
        return imported_code("tcpgoodput.comparison.answering", *models)

    def figure_code(self, source: str, figures: Sequence[str]) -> str:
        """Return a digest of the code behind figures' numbers: of models, that of those named."""
        asked = self.figures(source)
        modules = sorted({m for name in figures for m in _modules_named(asked[name])})
        shared = self.code(
            "scenario", "simulator", "studies", "referees", "models/predict.py", "models/reductions"
        )
        return digest([shared, imported_code(*modules)])

    @staticmethod
    @cache
    def code(*parts: str) -> str:
        """Return a digest of the code in parts of our package: changed code, new results."""
        found = [PACKAGE / part for part in parts]
        files = [f for p in found for f in (sorted(p.rglob("*.py")) if p.is_dir() else [p])]
        return _digest_of_files(files)


@cache
def imported_code(*modules: str) -> str:
    """Return a digest of some modules' code and of all that they import of ours."""
    return _digest_of_files(sorted({file for m in modules for file in imported_files(m)}))


def _digest_of_files(files: Iterable[Path]) -> str:
    """Return a digest of files, wherever the project stands."""
    found = hashlib.sha256()
    for file in files:
        inside = file.is_relative_to(PACKAGE)
        found.update(str(file.relative_to(PACKAGE) if inside else file.name).encode())
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def _modules_named(figure: Figure) -> set[str]:
    """Return the modules of the models, curves and tables that a figure names."""
    if isinstance(figure, LineFigure):
        series = [s for panel in figure.panels.values() for s in panel.series]
        models = {type(MODELS[s.model]).__module__ for s in series if s.model}
        return models | {CURVES[s.curve].__module__ for s in series if s.curve}
    if isinstance(figure, LadderFigure):
        return {TABLES[exchange.table].__module__ for exchange in figure.panels.values()}
    return {TABLES[figure.table].__module__} if isinstance(figure, TableFigure) else set()


def _steps_senders(figure: Figure) -> bool:
    """Tell whether a figure's tables step the simulator's senders, which numba must compile."""
    if isinstance(figure, LadderFigure):
        tables = [exchange.table for exchange in figure.panels.values()]
    else:
        tables = [figure.table] if isinstance(figure, TableFigure) else []
    return any(table.startswith("simulator.") for table in tables)


def digest(content: Any) -> str:
    """Return a digest of data, the order of its keys included."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def _looks(figure: Figure) -> Any:
    """Return which keys of a figure its data do not depend on."""
    keys: dict[str, Any] = dict.fromkeys(("title", "caption", "ours"), True)
    if isinstance(figure, LineFigure):
        keys |= dict.fromkeys(("numbers", "columns", "legend", "panel_height_cm", "share_y"), True)
        series = {"__all__": {"label", "style", "line"}}
        axis = {"label", "scale", "limits", "ticks", "tick_labels"}
        panel = {
            "title": True,
            "marks": True,
            "frame": True,
            "x": axis,
            "y": axis,
            "series": series,
        }
        keys["panels"] = dict.fromkeys(figure.panels, panel)
    elif isinstance(figure, LadderFigure):
        keys["panels"] = {name: {"title"} for name in figure.panels}
    elif isinstance(figure, TableFigure):
        keys["headings"] = True
    return keys


def _named_scenarios(figure: Figure) -> set[str | None]:
    if isinstance(figure, LineFigure | LadderFigure):
        return {panel.scenario for panel in figure.panels.values()}
    if isinstance(figure, TableFigure):
        return set(figure.scenarios)
    return {figure.scenario}
