"""A scenario as a commented file to begin with: its keys, and what a link may have besides."""

from __future__ import annotations

from collections.abc import Iterator

from tcpgoodput.configuration import parse
from tcpgoodput.scenario.completion import scaled
from tcpgoodput.scenario.content import commented, lines_of
from tcpgoodput.scenario.files import flow
from tcpgoodput.scenario.vocabulary import Scenario

FURTHER = (
    "Take away the # before a part that the link has, and set its numbers. "
    "`tcpgoodput check FILE` checks the file, `tcpgoodput show FILE` lists all keys with their "
    "defaults."
)
"""Comment above the parts that the scenario does not have."""

WITH_FILE = "file"
"""Key of an example that needs another file, so that it cannot be tried as it is."""


def template(scenario: Scenario, width: int = 80) -> str:
    """Return a scenario as a valid YAML file that is to be changed by hand.

    The file has the keys that the scenario sets, with their meaning as comments. Below them each
    part that it does not have, such as hand-offs, is commented out, with values that are valid for
    the link.

    Args:
        scenario: the scenario.
        width: the largest number of characters of a line with a comment.

    Example:
        >>> import tcpgoodput
        >>> scenario = tcpgoodput.load("config/scenarios/s02-independent-1e-2.yaml")
        >>> template(scenario).splitlines()[0]
        'id: s02-independent-1e-2                 # name, [a-z0-9-]+'

    """
    stated = lines_of(scenario, width, has_defaults=False)
    return "\n".join([*stated, "", *commented("", FURTHER, width), *_parts(scenario, width)]) + "\n"


def _parts(scenario: Scenario, width: int) -> Iterator[str]:
    """Yield the lines of each part that the scenario does not have, as comments."""
    content = scenario.stated()
    for name, field in Scenario.model_fields.items():
        examples = [parse(text, name).data for text in field.examples or []]
        examples = [one for one in examples if WITH_FILE not in one]
        if name in content or not examples:
            continue
        yield ""
        yield from commented("", f"{name}: {field.description}", width)
        yield f"# {name}: {flow(scaled(examples[0], content))}"
