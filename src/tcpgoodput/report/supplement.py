"""Content of the supplement: omitted figures and printed claims, from `paper/supplement.yaml`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from tcpgoodput.comparison.claims.schema import Claim
from tcpgoodput.configuration import read, validated
from tcpgoodput.scenario.types import Part, Text

FILE = Path("paper/supplement.yaml")


class Supplement(Part):
    """Content of `paper/supplement.yaml`."""

    left_out: dict[Text, list[Text]] = Field(
        default_factory=dict, description="figures that the supplement does not have, by study"
    )
    claims: dict[Text, list[Text]] = Field(
        default_factory=dict, description="ids of the claims that it prints, by study"
    )

    def printed_claims(self, study: str, claims: Sequence[Claim]) -> list[Claim]:
        """Return the claims of a study that the supplement prints; by default its first ten.

        Args:
            study: name of the study.
            claims: all claims of the study.

        """
        chosen = self.claims.get(study)
        return list(claims[:10]) if chosen is None else [c for c in claims if c.id in chosen]


def supplement() -> Supplement:
    """Read `paper/supplement.yaml`."""
    return validated(Supplement, read(FILE))
