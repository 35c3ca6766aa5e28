"""The plan of a run: what its jobs are asked, as files, and which files they make.

The configuration is read and checked once, here. What a job depends on is written below
`results/plan/`, a file for each request and each kind of code, and only where it has changed: then
Snakemake runs the jobs that read it, and names it as the reason.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tcpgoodput.census.extents import SAMPLE
from tcpgoodput.census.looks import to_read
from tcpgoodput.census.requests import to_measure
from tcpgoodput.census.space import Space
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.notebook import of_maps, of_scenarios
from tcpgoodput.comparison.requests import map_points, scenario_points, to_answer_map
from tcpgoodput.comparison.requests import to_answer as to_answer_scenarios
from tcpgoodput.configuration import refused
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.engines.names import REFERENCE
from tcpgoodput.engines.records import COMPARISON, provenance_path, table_path
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.explorer.asking import points as explored_points
from tcpgoodput.explorer.asking import to_answer as to_answer_explorer
from tcpgoodput.explorer.page import digests_of_parts
from tcpgoodput.jobs.closure import PACKAGE, imported_files
from tcpgoodput.jobs.code import ENTRY_POINTS, digest_of, digests_of, installed
from tcpgoodput.jobs.code import PACKAGE as CODE
from tcpgoodput.keeping.describe import NAME as DATAPACKAGE
from tcpgoodput.keeping.manifest import CELLS
from tcpgoodput.keeping.manifest import NAME as MANIFEST
from tcpgoodput.models import COSTLY_CURVES, CURVES, ERRATA, MODELS, TABLES
from tcpgoodput.models.registry import Register
from tcpgoodput.project.configuration import DEFAULT_PATH, Configuration, Settings
from tcpgoodput.project.resolved import recorded
from tcpgoodput.project.run import Run
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.referees.points import NO_SEED, compared_asked
from tcpgoodput.storage.files import as_lines, write_text
from tcpgoodput.studies.asking import to_answer, to_draw, to_publish, without_looks
from tcpgoodput.studies.points import asked_points
from tcpgoodput.studies.schema import Figure, LadderFigure, LineFigure, TableFigure
from tcpgoodput.workflow.captions import caption_rst
from tcpgoodput.workflow.census import CensusFiles
from tcpgoodput.workflow.published import origin, published_by_rule

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

REPORT = Path("workflow/report")
"""Captions for Snakemake's own report."""

MAP = "map_"
"""How the names of the maps' pictures begin."""

HELD, HELD_PART = "held", "comparison/held"
"""The picture of the held-out scenarios, and what is measured of them."""

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
    def made_of(self) -> Record:
        """What decides all results of a run, apart from single figures and scenarios."""
        settings = self.configuration.settings
        chosen = settings.model_dump(include={"precision", "equations", "seed"})
        return {"configuration": str(self.configuration.path), **chosen}

    @property
    def changes(self) -> str:
        """What the command line changes in the settings, as JSON."""
        return json.dumps(dict(self.given), sort_keys=True)

    # ------------------------------------------------------------ what jobs are asked

    def write(self) -> None:
        """Write all requests that have changed, and remove those that are not asked any more.

        They follow from the configuration, the files that it names, and our code: where none of
        these has changed since they were written, they stand.
        """
        folder = Path(self.run.plan)
        stamp, identity = folder / "identity.txt", self._identity()
        if stamp.is_file():
            known, *names = stamp.read_text(encoding="utf-8").splitlines()
            if known == identity and all((folder / name).is_file() for name in names):
                return
        stamp.unlink(missing_ok=True)
        asked = {folder / f"{name}.json": as_lines(content) for name, content in self._requests()}
        for path, text in asked.items():
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                write_text(path, text)
        for path in folder.rglob("*.json"):
            if path not in asked:
                path.unlink()
        names = sorted(str(path.relative_to(folder)) for path in asked)
        write_text(stamp, "".join(f"{line}\n" for line in (identity, *names)))

    def _identity(self) -> str:
        """Return a digest of all that the requests follow from."""
        every = [self._whole, installed(), published_by_rule(self)]
        content = hashlib.sha256(as_lines(every).encode())
        own = sorted({MODELS.module_of(model) for model in MODELS.names() if is_own(model)})
        code = [*sorted(CODE.rglob("*.py")), *(imported_files(*own) if own else ())]
        for file in [*code, *files_named_in(self._whole)]:
            content.update(f"{file}\n{file.stat().st_size}\n".encode() + file.read_bytes())
        return content.hexdigest()

    @cached_property
    def _whole(self) -> Record:
        """The configuration as data."""
        return recorded(self.configuration)

    def _requests(self) -> Iterator[tuple[str, Any]]:
        """Yield every request by its name below the plan's folder."""
        for job, modules in ENTRY_POINTS.items():
            yield f"code/{job}", digests_of(*modules)
        for study in self.studies:
            yield from self._of_study(study)
        if self.configuration.comparison:
            yield from self._of_comparison()
        for name, space in self.configuration.censuses.items():
            yield from self._of_census(name, space)
        claimed = self._claimed(self._whole)
        yield "claims", claimed
        listed = self._code_of(MODELS, MODELS.names()) | self._code_of(ERRATA, ERRATA.names())
        yield "report", {**self._whole, "code": listed}
        yield "referees", {**claimed, "claims": {}, "asked": list(self._refereed())}
        yield "tables", {"title": "Results of tcpgoodput", "tables": self._titles()}
        yield "manifest", {"files": published_by_rule(self), "origin": origin(self, self._whole)}

    def _of_study(self, study: str) -> Iterator[tuple[str, Any]]:
        source, settings = self.configuration.sources[study], self.configuration.settings
        style, figures = self.configuration.style, self.figures(study)
        points = [
            asked.request(settings.precision, settings.seed).record()
            for figure in figures.values()
            for asked in asked_points(source.scenarios, figure, settings.precision)
            if asked.engine == REFERENCE
        ]
        if points:
            yield f"points/{study}", points
        for name, figure in figures.items():
            asked = to_answer(source, figure, settings.conditions)
            file = self.configuration.path.parent / settings.figures / f"{study}.yaml"
            code = self._modules_of(figure)
            refereed = bool(self._engines(figure) & REFEREES.keys())
            where = {"file": str(file), "recorded": study if refereed else None}
            yield f"answers/{study}/{name}", {**where, **asked, **code}
            yield f"labels/{study}/{name}", to_publish(figure, style)
            if not isinstance(figure, TableFigure):
                yield f"looks/{study}/{name}", to_draw(figure, style)
        yield f"studies/{study}", self._shown(study)

    def _shown(self, study: str) -> Record:
        """Return what a study's notebook shows of the run, paths from where it lies."""
        source, settings = self.configuration.sources[study], self.configuration.settings
        up = "/".join([".."] * len(Path(self.run.results, study).parts))
        pictures = f"{up}/{self.run.figures}/{study}"
        return {
            "study": study,
            "title": source.figures.title,
            "conditions": vars(settings.conditions),
            "style": self.configuration.style.palette.model_dump(mode="json"),
            "code": self._code_of(MODELS, MODELS.names()),  # a notebook asks whom it likes
            "exhibits": [
                {
                    "name": name,
                    "title": figure.title,
                    "caption": figure.caption,
                    "kind": figure.kind,
                    "picture": None if figure.kind == "table" else f"{pictures}/{name}.png",
                    "rows": f"{name}.csv",
                    "headings": getattr(figure, "headings", {}),
                }
                for name, figure in source.figures.figures.items()
            ],
        }

    def _of_comparison(self) -> Iterator[tuple[str, Any]]:
        compared, settings = self.configuration.comparison, self.configuration.settings
        assert compared is not None  # or nothing is asked of it
        every = {"code": self._code_of(MODELS, MODELS.names()), "files": self._own_models}
        for part, stems in (("comparison", compared.scenarios), (HELD_PART, compared.held)):
            if stems:
                yield f"points/{part}", self._points_of(compared, stems)
        yield "answers/comparison", {**to_answer_scenarios(compared, settings.conditions), **every}
        for name in compared.settings.maps:
            points = map_points(compared, name, settings.conditions)
            yield f"points/maps/{name}", [request.record() for request in points]
            asked = to_answer_map(compared, name, settings.conditions)
            drawn = compared.drawn(name)
            code = {"code": self._code_of(MODELS, drawn), "files": self._own_models}
            yield f"answers/maps/{name}", {**asked, "models": drawn, **code}
        explored = explored_points(compared, settings.conditions)
        yield f"points/{EXPLORER}", [request.record() for request in explored]
        yield f"answers/{EXPLORER}", {**to_answer_explorer(compared, settings.conditions), **every}
        yield EXPLORER, {**self._whole, "parts": digests_of_parts()}
        yield "looks/comparison", of_scenarios(compared, self.configuration.style)
        if compared.settings.maps:
            yield "looks/comparison_maps", of_maps(compared, self.configuration.style)

    def _of_census(self, name: str, space: Space) -> Iterator[tuple[str, Any]]:
        settings, models = self.configuration.settings, space.census.models or MODELS.names()
        measured = to_measure(space, settings.seed)
        code = {"code": self._code_of(MODELS, models), "files": self._own_models}
        yield f"points/census/{name}", measured
        asked = {"measured": measured, "models": models, "equations": settings.equations}
        yield f"answers/census/{name}", {**asked, **code}
        yield (
            f"looks/census/{name}",
            to_read(space, self.configuration.families, self.configuration.style),
        )

    def _points_of(self, compared: Compared, stems: Iterable[str]) -> list[Record]:
        conditions = self.configuration.settings.conditions
        return [r.record() for stem in stems for r in scenario_points(compared, stem, conditions)]

    def _claimed(self, whole: Record) -> Record:
        """Return all that the claims' verdicts depend on apart from what figures answer."""
        style = self.configuration.style
        sources = {}
        for name, source in self.configuration.sources.items():
            figures = {
                key: _with_labels(without_looks(figure), to_publish(figure, style))
                for key, figure in source.figures.figures.items()
            }
            plain = source.figures.model_copy(update={"figures": figures, "scenarios": {}})
            sources[name] = {
                "figures": plain.model_dump(mode="json", by_alias=True, exclude_defaults=True),
                "scenarios": whole["sources"][name]["scenarios"],
            }
        claims = {n: own.claims for n, own in self.configuration.claims.items()}
        read = [r for own in claims.values() for claim in own for r in claim.every_reading]
        errata = [
            f"{name}.{erratum}"
            for name, own in claims.items()
            for claim in own
            for erratum in (claim.erratum, *(r.erratum for r in claim.every_reading))
            if erratum
        ]
        code = self._code_of(MODELS, (r.model for r in read if r.model))
        code |= self._code_of(CURVES, (r.curve for r in read if r.curve))
        code |= self._code_of(ERRATA, errata)
        return {
            **whole,
            "sources": sources,
            "style": style.of_models(()).model_dump(mode="json"),
            "comparison": None,
            "censuses": {},
            "code": code,
        }

    def _refereed(self) -> Iterator[Record]:
        """Yield which rows of the comparison are asked of each referee, and under which key."""
        compared = self.configuration.comparison
        for stem in self.compared:
            assert compared is not None  # or it has no scenarios
            for engine in REFEREES:
                for row, asked in enumerate(compared_asked(compared, stem, engine)):
                    request = asked.request("paper", NO_SEED)
                    known = {"key": request.key, "setting": request.setting}
                    where = {"stem": stem, "row": row, "engine": engine}
                    yield {**where, "scenario": asked.scenario.id, **known}

    def _titles(self) -> dict[str, str]:
        """Return the titles of all published tables, by their paths within the run."""
        titles = {
            f"results/{study}/{name}.csv": figure.title
            for study in self.studies
            for name, figure in self.figures(study).items()
        }
        tables = (file for files in published_by_rule(self).values() for file in files)
        return {f: titles.get(f, Path(f).stem) for f in tables if f.endswith(".csv")}

    @property
    def _own_models(self) -> list[str]:
        """The files of models of one's own."""
        folder = self.configuration.path.parent
        return [str(folder / file) for file in self.configuration.settings.models]

    def _modules_of(self, figure: Figure) -> Record:
        """Return the code of what a figure names, and the files of models of one's own."""
        if isinstance(figure, LineFigure):
            every = [s for panel in figure.panels.values() for s in panel.series]
            models = [s.model for s in every if s.model]
            code = self._code_of(CURVES, [s.curve for s in every if s.curve])
            return {
                "code": code | self._code_of(MODELS, models),
                "files": self._own_models if any(map(is_own, models)) else [],
            }
        if isinstance(figure, LadderFigure):
            return {"code": self._code_of(TABLES, [p.table for p in figure.panels.values()])}
        if isinstance(figure, TableFigure):
            return {"code": self._code_of(TABLES, [figure.table])}
        return {"code": {}}

    @staticmethod
    def _code_of(register: Register[Any], names: Iterable[str]) -> dict[str, str]:
        """Return the modules behind some names of a register, each with a digest of its code."""
        modules = sorted({register.module_of(name) for name in names})
        return {module: digest_of(module) for module in modules}

    # ------------------------------------------------------------ which files there are

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
        files += [*self.agreement, *self.claims, *self.comparison_tables]
        files += [*self.comparison_pictures, *self.map_pictures, *self.comparison_notebooks]
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
        return any(self._engines(figure) & {REFERENCE} for figure in self.figures(study).values())

    @staticmethod
    def _engines(figure: Figure | None) -> set[str]:
        """Return the engines that a figure shows."""
        panels = figure.panels.values() if isinstance(figure, LineFigure) else ()
        return {series.engine for panel in panels for series in panel.series if series.engine}

    @staticmethod
    def any_of(names: Sequence[str]) -> str:
        """Return the pattern that matches some names and no other."""
        return "|".join(re.escape(name) for name in names) or "(?!)"

    def measured_for(self, study: str, figure: str) -> list[str]:
        """Return the measurements that answering a figure needs."""
        engines = self._engines(self.figure(study, figure))
        return [f"{self.run.results}/measurements/{study}.csv"] if REFERENCE in engines else []

    def records_of(self, study: str, figure: str) -> list[str]:
        """Return the recorded measurements that a figure shows, those that are there."""
        engines = self._engines(self.figure(study, figure)) & REFEREES.keys()
        return [str(f) for engine in sorted(engines) for f in _recorded(engine, study)]

    def caches_of(self, study: str, figure: str) -> list[str]:
        """Return the caches that must be there before a figure is answered."""
        asked = self.figure(study, figure)
        caches = {
            ".cache/warm/models": _is_costly(asked),
            ".cache/warm/engines": _is_simulated(asked),
        }
        return [cache for cache, needed in caches.items() if needed]

    @property
    def recorded_of_comparison(self) -> list[str]:
        """The files of what referees measured of the comparison, those that are there."""
        return [str(file) for engine in REFEREES for file in _recorded(engine, COMPARISON)]

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
            if any(engine in self._engines(figure) for figure in self.figures(study).values())
        ]
        return asked + [(engine, COMPARISON) for engine in REFEREES if self.compared]

    @property
    def censuses(self) -> dict[str, CensusFiles]:
        """The files of each census."""
        return {n: CensusFiles(self.run, s) for n, s in self.configuration.censuses.items()}

    @property
    def referee_summaries(self) -> list[str]:
        """What recording all referees again leaves beside the records."""
        folder = f"{self.run.results}/referees"
        return [f"{folder}/{engine}/{study}.json" for engine, study in self.refereed]

    @property
    def agreement(self) -> list[str]:
        """What holding the simulator against the referees writes."""
        results = [f"{self.run.results}/referees.{suffix}" for suffix in ("csv", "json", "ipynb")]
        names = ["agreement", "scenarios"] if self.compared else ["agreement"]
        return results + self._drawn("referees", names)

    @property
    def claims(self) -> list[str]:
        """Return the files of the ledger of claims."""
        names = ("claims.csv", "claims_readings.csv", "claims.json", "claims.ipynb")
        results = [f"{self.run.results}/{name}" for name in names]
        return results + self._drawn("claims", ["verdicts"])

    def _drawn(self, folder: str, names: Sequence[str]) -> list[str]:
        stems = [f"{self.run.figures}/{folder}/{name}" for name in names]
        return [f"{stem}.{suffix}" for stem in stems for suffix in ("pdf", "png")]

    @property
    def compared(self) -> list[str]:
        """The scenarios that all models are compared on, by the stems of their files."""
        compared = self.configuration.comparison
        return list(compared.scenarios) if compared else []

    @property
    def mapped(self) -> list[str]:
        """The maps of the comparison."""
        compared = self.configuration.comparison
        return list(compared.settings.maps) if compared else []

    @property
    def compared_parts(self) -> list[str]:
        """The comparison's scenarios, measured and answered by every model."""
        return [f"{self.run.results}/comparison/scenarios/{stem}.json" for stem in self.compared]

    @property
    def held_parts(self) -> list[str]:
        """The held-out scenarios, measured and answered by every model."""
        compared = self.configuration.comparison
        stems = compared.held if compared else ()
        return [f"{self.run.results}/comparison/scenarios/{stem}.json" for stem in stems]

    @property
    def compared_measured(self) -> list[str]:
        """The tables of measurements of the comparison's scenarios."""
        parts = ["comparison", HELD_PART] if self.held_parts else ["comparison"]
        return [f"{self.run.results}/measurements/{part}.csv" for part in parts]

    @property
    def mapped_parts(self) -> list[str]:
        """The comparison's maps, measured and answered by the models."""
        return [f"{self.run.results}/comparison/maps/{name}.csv" for name in self.mapped]

    @property
    def comparison_tables(self) -> list[str]:
        """The comparison's published tables."""
        if not self.compared:
            return []
        names = ("families", "held", "ranking", "sensitivity", "misjudged")
        own = [f"{self.run.results}/comparison/{name}.csv" for name in names]
        return [f"{self.run.results}/comparison.csv", *own]

    @property
    def comparison_pictures(self) -> list[str]:
        """The pictures of the comparison's scenarios."""
        if not self.compared:
            return []
        names = ["matrix", "ranking", "sensitivity"]
        return self._drawn("comparison", [*names, HELD] if self.held_parts else names)

    @property
    def comparison_notebooks(self) -> list[str]:
        """The notebooks that show the comparison."""
        parts = {"comparison": self.compared, "comparison_maps": self.mapped}
        return [
            f"{self.run.results}/comparison/{name}.ipynb" for name, there in parts.items() if there
        ]

    @property
    def executed_notebooks(self) -> list[str]:
        """The notebooks that a run executes."""
        of_studies = [f"{self.run.results}/{study}/{study}.ipynb" for study in self.studies]
        every = [*of_studies, *self.comparison_notebooks, *self.claims, *self.agreement]
        return [file for file in every if file.endswith(".ipynb")]

    def shown_by(self, picture: str) -> list[str]:
        """Return the data behind a picture of the comparison."""
        if picture.startswith(MAP):
            return [f"{self.run.results}/comparison/maps/{picture.removeprefix(MAP)}.csv"]
        if picture == HELD:
            return [*self.compared_parts, *self.held_parts]
        return self.compared_parts

    def looks_of(self, picture: str) -> str:
        """Return what a picture of the comparison looks like."""
        part = "comparison_maps" if picture.startswith(MAP) else "comparison"
        return f"{self.run.plan}/looks/{part}.json"

    @staticmethod
    def caption_of_comparison(picture: str) -> str:
        """Return what Snakemake's own report says of a picture of the comparison."""
        file = REPORT / "comparison" / f"{picture.partition('_')[0]}.rst"
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    @property
    def map_pictures(self) -> list[str]:
        """The pictures of the comparison's maps."""
        return self._drawn("comparison", [f"{MAP}{name}" for name in self.mapped])

    @property
    def census_findings(self) -> list[str]:
        """What the censuses say that the main job reads."""
        return [f for census in self.censuses.values() for f in census.findings(census.read)]

    @property
    def explorer(self) -> list[str]:
        """The page that holds what the run has found, in one file."""
        return [f"{self.run.results}/{EXPLORER}.html"] if self.compared else []

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
        compared = COMPARISON_PARTS if self.compared else ()
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
        every += [*self.comparison_pictures, *self.map_pictures]
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


def files_named_in(content: Any) -> Iterator[Path]:
    """Yield the files that data names, such as traces of a capacity, wherever a key says `file`."""
    if isinstance(content, dict):
        for key, part in content.items():
            if isinstance(part, str) and key.rpartition(".")[2] == "file":
                if (file := Path(part)).is_file():
                    yield file
            else:
                yield from files_named_in(part)
    elif isinstance(content, list):
        for part in content:
            yield from files_named_in(part)


def is_own(model: str) -> bool:
    """Tell whether a model is one of somebody's own."""
    return not MODELS.module_of(model).startswith(f"{PACKAGE}.")


def _recorded(engine: str, study: str) -> list[Path]:
    table = table_path(engine, study)
    return [file for file in (table, provenance_path(table)) if file.is_file()]


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


def _with_labels(figure: Figure, labels: Mapping[str, Mapping[str, str]]) -> Figure:
    """Return a figure whose series state their labels, whoever gave them."""
    if not isinstance(figure, LineFigure):
        return figure
    panels = {
        name: panel.model_copy(
            update={
                "series": [
                    series.model_copy(update={"label": labels[name][series.key]})
                    for series in panel.series
                ]
            }
        )
        for name, panel in figure.panels.items()
    }
    return figure.model_copy(update={"panels": panels})
