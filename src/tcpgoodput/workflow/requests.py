"""What the jobs of a run are asked, as files.

The configuration is read and checked once. What a job depends on is written below `results/plan/`,
a file for each request and each kind of code, and only where it has changed: then Snakemake runs
the jobs that read it, and names it as the reason.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tcpgoodput.census.looks import to_read
from tcpgoodput.census.requests import to_measure
from tcpgoodput.census.space import Space
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.notebook import of_maps, of_scenarios
from tcpgoodput.comparison.requests import map_points, scenario_points, to_answer_map
from tcpgoodput.comparison.requests import to_answer as to_answer_scenarios
from tcpgoodput.engines.names import REFERENCE
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.explorer.asking import points as explored_points
from tcpgoodput.explorer.asking import to_answer as to_answer_explorer
from tcpgoodput.explorer.page import digests_of_parts
from tcpgoodput.jobs import sources
from tcpgoodput.jobs.closure import PACKAGE, imported_files
from tcpgoodput.jobs.code import PACKAGE as CODE
from tcpgoodput.jobs.code import digest_of, digests_of, installed
from tcpgoodput.models import CURVES, ERRATA, MODELS, TABLES
from tcpgoodput.models.registry import Register
from tcpgoodput.project.resolved import recorded
from tcpgoodput.referees.points import NO_SEED, compared_asked
from tcpgoodput.storage.files import as_lines, digest_of_file, write_text
from tcpgoodput.studies.asking import to_answer, to_draw, to_publish, without_looks
from tcpgoodput.studies.points import asked_points
from tcpgoodput.studies.schema import Figure, LadderFigure, LineFigure, TableFigure
from tcpgoodput.workflow.comparison import HELD_PART
from tcpgoodput.workflow.entry_points import ENTRY_POINTS
from tcpgoodput.workflow.plan import EXPLORER, Plan, engines_of
from tcpgoodput.workflow.published import origin, published_by_rule

Record = dict[str, Any]


@dataclass(frozen=True)
class Requests:
    """All that is asked of a run's jobs."""

    plan: Plan

    def write(self) -> None:
        """Write all requests that have changed, and remove those that are not asked any more.

        They follow from the configuration, the files that it names, and our code: where none of
        these has changed since they were written, nor a request itself, they stand.
        """
        folder = Path(self.plan.run.plan)
        stamp, identity = folder / "identity.txt", self._identity()
        if stamp.is_file():
            text = stamp.read_text(encoding="utf-8", errors="replace")
            known, _, lines = text.partition("\n")
            if known == identity and all(_stands(folder, line) for line in lines.splitlines()):
                return
        stamp.unlink(missing_ok=True)
        asked = {folder / f"{name}.json": as_lines(content) for name, content in self._requests()}
        for path, text in asked.items():
            if not path.is_file() or path.read_bytes() != text.encode():
                write_text(path, text)
        for path in folder.rglob("*.json"):
            if path not in asked:
                path.unlink()
        lines = [f"{digest_of_file(path)} {path.relative_to(folder)}" for path in sorted(asked)]
        write_text(stamp, "".join(f"{line}\n" for line in (identity, *lines)))
        sources.keep()

    def _identity(self) -> str:
        """Return a digest of all that the requests follow from."""
        every = [self._whole, installed(), published_by_rule(self.plan)]
        content = hashlib.sha256(as_lines(every).encode())
        own = sorted({MODELS.module_of(model) for model in MODELS.names() if is_own(model)})
        parts = (file for file in CODE.rglob("*") if file.parent.name != "__pycache__")
        ours = sorted(file for file in parts if file.is_file())  # the page's scripts among them
        code = [*ours, *(imported_files(*own) if own else ())]
        for file in [*code, *files_named_in(self._whole)]:
            content.update(f"{file}\n{file.stat().st_size}\n".encode() + file.read_bytes())
        return content.hexdigest()

    @cached_property
    def _whole(self) -> Record:
        """The configuration as data."""
        return recorded(self.plan.configuration)

    def _requests(self) -> Iterator[tuple[str, Any]]:
        """Yield every request by its name below the plan's folder."""
        for job, modules in ENTRY_POINTS.items():
            yield f"code/{job}", digests_of(*modules)
        for study in self.plan.studies:
            yield from self._of_study(study)
        if self.plan.configuration.comparison:
            yield from self._of_comparison()
        for name, space in self.plan.configuration.censuses.items():
            yield from self._of_census(name, space)
        claimed = self._claimed(self._whole)
        yield "claims", claimed
        listed = self._code_of(MODELS, MODELS.names()) | self._code_of(ERRATA, ERRATA.names())
        yield "report", {**self._whole, "code": listed}
        yield "referees", {**claimed, "claims": {}, "asked": list(self._refereed())}
        yield "tables", {"title": "Results of tcpgoodput", "tables": self._titles()}
        yield (
            "manifest",
            {"files": published_by_rule(self.plan), "origin": origin(self.plan, self._whole)},
        )

    def _of_study(self, study: str) -> Iterator[tuple[str, Any]]:
        source, settings = self.plan.configuration.sources[study], self.plan.configuration.settings
        style, figures = self.plan.configuration.style, self.plan.figures(study)
        points = {
            name: list(asked_points(source.scenarios, figure, settings.precision))
            for name, figure in figures.items()
        }
        measured = [
            asked.request(settings.precision, settings.seed).record()
            for asked in itertools.chain.from_iterable(points.values())
            if asked.engine == REFERENCE
        ]
        if measured:
            yield f"points/{study}", measured
        for name, figure in figures.items():
            asked = to_answer(source, figure, settings.conditions, points[name])
            file = self.plan.configuration.path.parent / settings.figures / f"{study}.yaml"
            code = self._modules_of(figure)
            refereed = bool(engines_of(figure) & REFEREES.keys())
            read = {str(f): digest_of_file(f) for f in files_named_in(asked)}
            where = {"file": str(file), "recorded": study if refereed else None, "read": read}
            yield f"answers/{study}/{name}", {**where, **asked, **code}
            yield f"labels/{study}/{name}", to_publish(figure, style)
            if not isinstance(figure, TableFigure):
                yield f"looks/{study}/{name}", to_draw(figure, style)
        yield f"studies/{study}", self._shown(study)

    def _shown(self, study: str) -> Record:
        """Return what a study's notebook shows of the run, paths from where it lies."""
        source, settings = self.plan.configuration.sources[study], self.plan.configuration.settings
        up = "/".join([".."] * len(Path(self.plan.run.results, study).parts))
        pictures = f"{up}/{self.plan.run.figures}/{study}"
        return {
            "study": study,
            "title": source.figures.title,
            "conditions": vars(settings.conditions),
            "style": self.plan.configuration.style.palette.model_dump(mode="json"),
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
        compared, settings = self.plan.configuration.comparison, self.plan.configuration.settings
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
        yield "looks/comparison", of_scenarios(compared, self.plan.configuration.style)
        if compared.settings.maps:
            yield "looks/comparison_maps", of_maps(compared, self.plan.configuration.style)

    def _of_census(self, name: str, space: Space) -> Iterator[tuple[str, Any]]:
        settings, models = self.plan.configuration.settings, space.census.models or MODELS.names()
        measured = to_measure(space, settings.seed)
        code = {"code": self._code_of(MODELS, models), "files": self._own_models}
        yield f"points/census/{name}", measured
        asked = {"measured": measured, "models": models, "equations": settings.equations}
        yield f"answers/census/{name}", {**asked, **code}
        yield (
            f"looks/census/{name}",
            to_read(space, self.plan.configuration.families, self.plan.configuration.style),
        )

    def _points_of(self, compared: Compared, stems: Iterable[str]) -> list[Record]:
        conditions = self.plan.configuration.settings.conditions
        return [r.record() for stem in stems for r in scenario_points(compared, stem, conditions)]

    def _claimed(self, whole: Record) -> Record:
        """Return all that the claims' verdicts depend on apart from what figures answer."""
        style = self.plan.configuration.style
        sources = {}
        for name, source in self.plan.configuration.sources.items():
            figures = {
                key: _with_labels(without_looks(figure), to_publish(figure, style))
                for key, figure in source.figures.figures.items()
            }
            plain = source.figures.model_copy(update={"figures": figures, "scenarios": {}})
            sources[name] = {
                "figures": plain.model_dump(mode="json", by_alias=True, exclude_defaults=True),
                "scenarios": whole["sources"][name]["scenarios"],
            }
        claims = {n: own.claims for n, own in self.plan.configuration.claims.items()}
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
        compared = self.plan.configuration.comparison
        for stem in self.plan.comparison.scenarios:
            assert compared is not None  # or it has no scenarios
            for engine in REFEREES:
                for row, asked in enumerate(compared_asked(compared, stem, engine)):
                    request = asked.request("paper", NO_SEED)
                    known = {"key": request.key, "setting": request.setting}
                    where = {"stem": stem, "row": row, "engine": engine}
                    sender = asked.scenario.tcp.stack or ""
                    yield {**where, "scenario": asked.scenario.id, "sender": sender, **known}

    def _titles(self) -> dict[str, str]:
        """Return the titles of all published tables, by their paths within the run."""
        titles = {
            f"results/{study}/{name}.csv": figure.title
            for study in self.plan.studies
            for name, figure in self.plan.figures(study).items()
        }
        tables = (file for files in published_by_rule(self.plan).values() for file in files)
        return {f: titles.get(f, Path(f).stem) for f in tables if f.endswith(".csv")}

    @property
    def _own_models(self) -> list[str]:
        """The files of models of one's own."""
        folder = self.plan.configuration.path.parent
        return [str(folder / file) for file in self.plan.configuration.settings.models]

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


def _stands(folder: Path, line: str) -> bool:
    """Tell whether a request is there as it was written."""
    digest, _, name = line.partition(" ")
    return (folder / name).is_file() and digest_of_file(folder / name) == digest


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
