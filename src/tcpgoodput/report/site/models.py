"""A page of the site for each model: equation, source, domain, an example, and errors."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from tcpgoodput.cli.models import example_of
from tcpgoodput.models import MODELS, Model
from tcpgoodput.models.references import reference
from tcpgoodput.report.site import generated as tables

FOLDER = Path("reference/models")

MARKUP = re.compile(r"([\\`*_{}\[\]<>|#])")


def pages() -> dict[Path, str]:
    """Return the text of each model's page, by its path on the site."""
    return {FOLDER / f"{model.name}.md": _page(model) for model in MODELS.values()}


def _page(model: Model) -> str:
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
        "Example": f"`{example_of(model)}`",
        "Errors on random connections": tables.errors_of(model.name),
    }
    head = f"# {plain(model.title)}: `{model.name}`\n\n{inspect.getdoc(type(model)) or ''}\n"
    return "\n".join([head, *(f"## {title}\n\n{text}\n" for title, text in parts.items() if text)])


def _conditions(model: Model) -> str:
    """Return the table of the conditions of a model's domain; empty if it has no conditions."""
    rows = [
        f"| {plain(condition.text)} | {condition.basis} | {plain(condition.because)} |"
        for condition in model.conditions
    ]
    head = ["| condition | [basis](../../concepts/answers.md) | because |", "|---|---|---|"]
    return "\n".join([*head, *rows]) if rows else ""


def plain(text: str) -> str:
    """Return a text with its Markdown characters escaped."""
    return MARKUP.sub(r"\\\1", text)
