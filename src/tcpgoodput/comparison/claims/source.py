"""The claims of one study, as they were read."""

from __future__ import annotations

from dataclasses import dataclass

from tcpgoodput.comparison.claims.schema import Claim
from tcpgoodput.configuration import Problem


@dataclass(frozen=True)
class SourceClaims:
    """The claims of one source, and the lines of the file that they stand on."""

    source: str
    file: str
    claims: list[Claim]
    lines: dict[str, int]

    def problem(self, claim: Claim, message: str) -> Problem:
        """Return a problem with a claim, in its file's own terms."""
        return Problem(self.file, self.lines[claim.id], f"claim {claim.id}", message)
