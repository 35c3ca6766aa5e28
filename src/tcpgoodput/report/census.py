"""The random samples of connections (censuses) that the report describes."""

from __future__ import annotations

from pathlib import Path

from tcpgoodput.comparison.census.design import known_extent
from tcpgoodput.comparison.census.files import described
from tcpgoodput.comparison.census.space import Space
from tcpgoodput.project.settings import Configuration


def described_census(configuration: Configuration) -> Space | None:
    """Return the census (random sample) that the report describes; None if there is none."""
    name = described(configuration.censuses)
    return configuration.censuses[name] if name else None


def folder_of(space: Space) -> Path:
    """Return the path of a census's folder, relative to the folder of results or of pictures."""
    return Path("census") / space.name / known_extent(space.name)


def paired_censuses(configuration: Configuration) -> list[Space]:
    """Return the censuses that are paired with the census that the report describes.

    Paired censuses have the same connections, but another sender.
    """
    described = described_census(configuration)
    every = configuration.censuses.values()
    return [space for space in every if described and space.census.paired_with == described.name]


def section_tex(configuration: Configuration) -> str:
    """Return LaTeX code that includes the section on held-out scenarios and the random sample.

    The code is a comment if the run has no random sample or no comparison.
    """
    space = described_census(configuration)
    if space is None or not configuration.comparison:
        return "%\n"
    return f"\\newcommand{{\\censusfolder}}{{{folder_of(space)}}}\n\\input{{sections/held}}\n"
