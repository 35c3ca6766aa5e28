"""Pages of the site generated from code and data: commands, keys, docstrings, tables.

This module is also a Sphinx extension that replaces `napoleon`, because `napoleon` would interpret
the words before a colon in an attribute's docstring as a type.
"""

from __future__ import annotations

import csv
import inspect
import re
from pathlib import Path
from typing import Any

import typer
from pyarrow.parquet import read_schema
from pydantic import BaseModel
from sphinx.ext.napoleon import Config, GoogleDocstring
from typer.cli import get_docs_for_click

from tcpgoodput.cli.app import TYPE, app
from tcpgoodput.cli.models import example_of
from tcpgoodput.comparison.census.design import JOINED
from tcpgoodput.comparison.census.expected import words_for
from tcpgoodput.configuration.documentation import DocumentedKey, documented_keys, markdown
from tcpgoodput.models import MODELS, Model
from tcpgoodput.models.reductions.catalogue import REDUCTIONS
from tcpgoodput.models.references import reference
from tcpgoodput.scenario.controls import UNITS


def commands() -> str:
    """Return the page about all commands of `tcpgoodput`, with a section for each command."""
    group: Any = typer.main.get_command(app)
    context = typer.Context(group)
    pages = []
    for name, command in group.commands.items():
        page = get_docs_for_click(
            obj=command, ctx=context, indent=1, name=f"tcpgoodput {name}", title=name
        )
        block = f"**Examples**:\n\n```sh\n{command.epilog}\n```"
        pages.append(TYPE.sub("", page.replace(command.epilog, block)))
    return "\n".join(pages)


OF_PICTURES = {"_cm": "cm", "_pt": "pt"}
"""Units of keys by the suffix of the key's name, for suffixes that only the style file has."""


def keys(schema: type[BaseModel]) -> str:
    """Return the Markdown page about all keys of a YAML file, with a table for each mapping."""
    sections: dict[str, list[DocumentedKey]] = {}
    for key in documented_keys(schema):
        sections.setdefault(key.key.rpartition(".")[0], []).append(key)
    return "\n".join(_section(*section) for section in sections.items())


def _section(holder: str, found: list[DocumentedKey]) -> str:
    title = f"`{holder}`" if holder else "The file itself"
    heads = ["key", "unit", "allowed", "default", "meaning"]
    named = [(key.key.rpartition(".")[2], key) for key in found]
    rows = [[f"`{name}`", _unit(name), k.allowed, f"`{k.default}`", k.text] for name, k in named]
    if not any(unit for _, unit, *_ in rows):
        for row in (heads, *rows):
            del row[1]
    return f"## {title}\n\n{markdown(heads, rows)}"


def _unit(name: str) -> str:
    ends = {**UNITS, **OF_PICTURES}
    return next((unit for end, unit in ends.items() if f"_{name}".endswith(end)), "")


DATA = Path("data")

LONGEST = 12
"""Number of jobs in the table of CPU time; chosen by hand."""

FEWEST = 50
"""Smallest number of random connections on which a recommendation of a model is based; chosen by
hand."""


def models() -> str:
    """Return the page with all models, the impairments they describe, and their domains."""
    rows = []
    for m in MODELS.values():
        described = ", ".join(sorted(m.handles)) or "overflow alone"
        rows.append((_link("..", m.name), f"{m.title}: {described}", m.domain))
    return markdown(("model", "what it is, and describes", "domain"), rows)


def reductions() -> str:
    """Return the page with all reductions: rules that restate a scenario in a model's terms."""
    rows = [(f"`{r.id}`", r.of, r.to.replace("--", "–"), r.formula) for r in REDUCTIONS.values()]
    return markdown(("reduction", "turns", "into", "by"), rows)


def choice() -> str:
    """Return the table of the recommended models for connections with a single impairment.

    For each impairment and status, the table names the model that is in domain most often.
    """
    widest: dict[tuple[str, str], dict[str, str]] = {}
    for row in _recorded("census/connections_errors.csv"):
        place = row["impairments"], row["status"]
        if JOINED not in row["impairments"] and int(row["n"]) >= FEWEST:
            widest[place] = max(widest.get(place, row), row, key=_width)
    rows = [
        (
            words_for(impairments),
            f"{_link('.', row['model'])} ({MODELS[row['model']].title})",
            *_errors(row),
        )
        for (impairments, _), row in sorted(widest.items())
    ]
    head = ("your link has", "model", "status", "connections", "median error", "9 of 10 within")
    return markdown(head, rows)


SHOWN_SAMPLES = ("connections", "bbr")
"""Random samples whose errors the models' pages show. No model is in domain on both."""


def errors_of(model: str) -> str:
    """Return the table of a model's goodput errors on random connections, by impairment."""
    rows = [
        (words_for(row["impairments"]), *_errors(row))
        for sample in SHOWN_SAMPLES
        for row in _recorded(f"census/{sample}_errors.csv")
        if row["model"] == model
    ]
    head = ("impairment", "status", "connections", "median error", "9 of 10 within")
    if rows:
        return markdown(head, rows)
    tables = [read_schema(DATA / "census" / f"{sample}.parquet") for sample in SHOWN_SAMPLES]
    if any(f"status:{model}" in table.names for table in tables):
        return "It was in domain on none of them."
    return (
        "It was not evaluated on them. A [census of your own](../../tutorials/census.md) evaluates "
        "every model of the configuration."
    )


def _errors(row: dict[str, str]) -> tuple[str, str, str, str]:
    median, q90 = float(row["median_%"]), float(row["q90_%"])
    return row["status"], row["n"], f"{median:.1f} %", f"{q90:.0f} %"


def _link(root: str, model: str) -> str:
    return f"[`{model}`]({root}/reference/models/{model}.md)"


def _width(row: dict[str, str]) -> tuple[int, float]:
    """Return a sort key: the most connections in domain, then the smallest median error."""
    return int(row["n"]), -float(row["median_%"])


def coverage() -> str:
    """Return the table of how often confidence intervals contain the long-run goodput."""
    rows = [
        (row["case"], row["experiments"], f"{float(row['coverage']):.1%}".replace("%", " %"))
        for row in _recorded("intervals.csv")
    ]
    return markdown(("connection", "experiments", "intervals that contain the true value"), rows)


def trust() -> str:
    """Return the table of the project's guarantees, with the results of their tests."""
    rows = [
        (
            row["guarantee"],
            f"{row['trials']} of {row['planned']} {row['trials_of']}",
            row["failures"],
            f"{row['worst']} {row['worst_meaning']}" if row["worst"] else "",
            row["date"],
            row["note"],
        )
        for file in sorted((DATA / "trust").glob("*.csv"))
        for row in _recorded(f"trust/{file.name}")
    ]
    head = ("guarantee", "trials, of those planned", "failures", "worst", "date", "note")
    return markdown(head, rows)


def speed() -> str:
    """Return the table of CPU time per packet in each engine, in nanoseconds."""
    timed = [row for row in _recorded("speed.csv") if row["ns2_ns"] or row["linux_ns"]]
    engines = ("packet_ns", "ns2_ns", "htsim_ns", "linux_ns")
    rows = [(row["case"], *(_whole(row[engine]) for engine in engines)) for row in timed]
    return markdown(("connection", "packet simulator", "ns-2", "htsim", "Linux"), rows)


def cpu_seconds() -> str:
    """Return the table of the jobs of a run that take most CPU time, in seconds."""
    seconds = {row["job"]: float(row["cpu_s"]) for row in _recorded("cpu_seconds.csv")}
    seconds = {job: s for job, s in seconds.items() if not job.startswith("(")}
    longest = sorted(seconds, key=lambda job: -seconds[job])[:LONGEST]
    rest = sum(s for job, s in seconds.items() if job not in longest)
    rows = [(f"`{job}`", f"{seconds[job]:.0f}") for job in longest]
    rows += [("the other jobs", f"{rest:.0f}"), ("all jobs", f"{sum(seconds.values()):.0f}")]
    return markdown(("job", "CPU time [s]"), rows)


def _recorded(name: str) -> list[dict[str, str]]:
    with open(DATA / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _whole(number: str) -> str:
    return f"{float(number):.0f}" if number else "–"


SETTINGS = Config(napoleon_use_rtype=False)


def setup(app: Any) -> dict[str, Any]:
    """Register the parser of Google-style docstrings with Sphinx; attributes are not parsed."""
    app.connect("autodoc-process-docstring", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _read(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    if what not in ("attribute", "property"):
        lines[:] = GoogleDocstring(lines, SETTINGS, app, what, name, thing, options).lines()


MODELS_FOLDER = Path("reference/models")

MARKUP = re.compile(r"([\\`*_{}\[\]<>|#])")


def model_pages() -> dict[Path, str]:
    """Return the text of each model's page, by its path on the site."""
    return {MODELS_FOLDER / f"{model.name}.md": _model_page(model) for model in MODELS.values()}


def _model_page(model: Model) -> str:
    described = ", ".join(sorted(model.handles)) or "losses by overflow alone"
    parts = {
        "Equation": plain(model.equation or "See the description above."),
        "Source": plain(reference(model) or model.citation),
        "Domain": plain(
            f"{model.domain}. It describes: {described}. "
            f"Reductions may add: {', '.join(sorted(model.reduces)) or 'nothing'}."
        ),
        "In domain if": _conditions(model),
        "Inputs": ", ".join(f"`{key}`" for key in model.inputs),
        **{
            head: f"```sh\n{text}\n```" if text.startswith("tcpgoodput ") else plain(text)
            for head, text in example_of(model).items()
        },
        "Errors on random connections": errors_of(model.name),
    }
    head = f"# {plain(model.title)}: `{model.name}`\n\n{inspect.getdoc(type(model)) or ''}\n"
    return "\n".join([head, *(f"## {title}\n\n{text}\n" for title, text in parts.items() if text)])


def _conditions(model: Model) -> str:
    """Return the table of a model's domain conditions; empty if the model has no conditions."""
    rows = [
        f"| {plain(condition.text)} | {condition.basis} | {plain(condition.because)} |"
        for condition in model.conditions
    ]
    head = ["| condition | [basis](../../concepts/answers.md) | because |", "|---|---|---|"]
    return "\n".join([*head, *rows]) if rows else ""


def plain(text: str) -> str:
    """Return a text in which characters with a meaning in Markdown are escaped."""
    return MARKUP.sub(r"\\\1", text)
