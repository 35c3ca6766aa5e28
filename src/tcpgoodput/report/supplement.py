"""What the supplement leaves out, and which claims it prints: `paper/supplement.yaml`."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from tcpgoodput.configuration import read, validated
from tcpgoodput.scenario.types import Part, Text

FILE = Path("paper/supplement.yaml")


class Supplement(Part):
    """The file `paper/supplement.yaml`."""

    left_out: dict[Text, list[Text]] = Field(
        default_factory=dict, description="figures that the supplement does not have, by study"
    )
    claims: dict[Text, list[Text]] = Field(
        default_factory=dict, description="ids of the claims that it prints, by study"
    )


def supplement() -> Supplement:
    """Read the file."""
    return validated(Supplement, read(FILE))
