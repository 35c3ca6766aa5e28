"""Checking any configuration file: what kind it is shows in its keys."""

from __future__ import annotations

from pathlib import Path

from tcpgoodput.claims.files import load_claims
from tcpgoodput.comparison.files import load_comparison
from tcpgoodput.configuration import read, refused
from tcpgoodput.figures.files import load_source
from tcpgoodput.references import references_of
from tcpgoodput.scenario import load_scenario
from tcpgoodput.settings import load_configuration
from tcpgoodput.style import load_style

KINDS = {
    "scenario": {"id", "tcp", "path"},
    "figures": {"source", "figures", "scenarios"},
    "claims": {"source", "claims"},
    "settings": {"sources", "precision", "equations", "seed"},
    "comparison": {"scenarios", "again", "sensitivity", "maps"},
    "style": {"models", "engines", "variants", "lines"},
}
"""Keys by which a file of each kind is known: the kind that has most of a file's keys wins."""


def check_file(path: Path) -> str:
    """Check one file and say what it was found to be.

    Raises:
        ConfigurationError: everything that is wrong with it.

    """
    data = read(path).data
    if not isinstance(data, dict):
        raise refused(path, "", "must be a mapping of keys")
    kind, keys = max(KINDS.items(), key=lambda item: len(item[1] & data.keys()))
    if not keys & data.keys():
        known = "; ".join(f"{name} ({', '.join(sorted(k))})" for name, k in KINDS.items())
        raise refused(path, "", f"is no configuration file known by its keys: {known}")
    match kind:
        case "scenario":
            return f"scenario {load_scenario(path).id}, no errors"
        case "figures":
            source = load_source(path, load_style(style_beside(path)), references_of(path))
            return f"{len(source.figures.figures)} figures of {source.name}, no errors"
        case "claims":
            source = load_source(figures_beside(path), style := load_style(style_beside(path)))
            claims = load_claims(path, source, style).claims
            return f"{len(claims)} claims of {source.name}, no errors"
        case "comparison":
            compared = load_comparison(path)
            return f"{len(compared.scenarios)} scenarios to compare models on, no errors"
        case "settings":
            configuration = load_configuration(path)
            figures = sum(len(s.figures.figures) for s in configuration.sources.values())
            claimed = sum(len(c.claims) for c in configuration.claims.values())
            sources = len(configuration.sources)
            return f"settings, {sources} sources, {figures} figures, {claimed} claims, no errors"
        case _:
            return f"{len(load_style(path).names())} styles, no errors"


def style_beside(path: Path) -> Path:
    """Return the style file of a file of figures: beside it, above it, or the project's."""
    for folder in (*path.resolve().parents, Path.cwd()):
        for candidate in (folder / "style.yaml", folder / "config" / "style.yaml"):
            if candidate.is_file():
                return candidate
    raise refused(path, "", "no style.yaml beside it, above it, or in config/")


def figures_beside(path: Path) -> Path:
    """Return the file of figures that a file of claims is about: in the folder beside its own."""
    candidate = path.parent.parent / "figures" / path.name
    if not candidate.is_file():
        raise refused(path, "source", f"claims need the source's figures: no file {candidate}")
    return candidate
