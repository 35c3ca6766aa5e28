"""Read and check a study's file of printed numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tcpgoodput.comparison.claims.files import SourceClaims, problems_of_data
from tcpgoodput.comparison.claims.schema import Bound, Claim, Ratio, Within
from tcpgoodput.comparison.printed.schema import PrintedFile, PrintedNumber
from tcpgoodput.comparison.printed.settings import values_of_setting
from tcpgoodput.configuration import ConfigurationError, Problem, read, validated
from tcpgoodput.configuration.problems import alternatives
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.models import ERRATA
from tcpgoodput.studies.schema import Source


@dataclass(frozen=True)
class SourcePrinted:
    """The printed numbers of one study, and the line of each entry in its file."""

    source: str
    file: str
    numbers: list[PrintedNumber]
    lines: list[int]

    def problem(self, position: int, message: str) -> Problem:
        """Return a problem with the entry at a position, with the file and the entry's line."""
        return Problem(self.file, self.lines[position], f"printed[{position}]", message)


def load_printed(path: Path | str, source: Source, claims: SourceClaims | None) -> SourcePrinted:
    """Read the printed numbers of a study, and check that everything that they name exists.

    Args:
        path: the file.
        source: the study's figures.
        claims: the study's claims, to which entries may refer; None if it has no file of claims.

    Raises:
        ConfigurationError: the file is invalid; the message lists every problem.

    """
    document = read(path)
    content = validated(PrintedFile, document)
    problems: list[Problem] = []
    if content.source != source.name:
        message = f"must be {source.name}, as the file of figures has it"
        problems.append(document.problem(("source",), message))
    known = {claim.id: claim for claim in claims.claims} if claims else {}
    for position, number in enumerate(content.printed):
        at = ("printed", position)
        problems += [
            document.problem((*at, *key), text) for key, text in _wrong(number, known, source)
        ]
        if number.data:
            predicate = number.predicates[0]
            problems += problems_of_data(document, source, predicate, number.data, at)
    if problems:
        raise ConfigurationError(problems)
    lines = [document.line(("printed", i, "what")) for i in range(len(content.printed))]
    return SourcePrinted(source.name, document.file, content.printed, lines)


def _wrong(
    number: PrintedNumber, claims: Mapping[str, Claim], source: Source
) -> Iterator[tuple[Key, str]]:
    """Yield the key and a message for each name in an entry that does not exist."""
    if number.erratum is not None:
        own = [erratum.id for erratum in ERRATA.values() if erratum.source == source.name]
        if number.erratum not in own:
            yield ("erratum",), f"no erratum {number.erratum!r}{alternatives(number.erratum, own)}"
    if number.claim is not None:
        if number.claim not in claims:
            yield ("claim",), f"no claim {number.claim!r}{alternatives(number.claim, claims)}"
        elif number.printed is None and not _has_number(claims[number.claim]):
            yield ("printed",), f"is required: the claim {number.claim} tests no number"
    if number.setting is not None:
        try:
            values_of_setting(source, number.setting)
        except ValueError as error:
            yield ("setting",), str(error)


def _has_number(claim: Claim) -> bool:
    predicate = claim.predicate
    if isinstance(predicate, Within):
        return predicate.target is not None
    return isinstance(predicate, Bound | Ratio)
