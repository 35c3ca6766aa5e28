r"""Check that the numbers and verdicts of a run support the sentences of the report.

In the report, `\holds{ID}{...}` encloses a sentence that compares results. Under ID,
`paper/sentences.yaml` has the conditions on numbers and verdicts that must hold for the sentence to
be true. If a condition does not hold, the sentence is marked in the PDF, or the run fails.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, model_validator

from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, validated
from tcpgoodput.configuration.problems import nearest
from tcpgoodput.scenario.types import Identifier, Part, Text
from tcpgoodput.studies.expressions import FUNCTIONS, evaluate

FILE = Path("paper/sentences.yaml")

_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_QUOTED = re.compile(r"\\(result|interval|holds)\{([\w-]+)\}")
_COMMENT = re.compile(r"(?<!\\)%.*")
_NAME = re.compile(r"(?<![\w.])[A-Za-z]\w*")
_SIGN = re.compile(r"\s*(<=|>=|<|>)\s*")


class SentenceConditions(Part):
    """Conditions under which a sentence of the report is true; all conditions must hold."""

    where: list[Text] = Field(
        default_factory=list,
        description="required order of the report's numbers, such as `A < 2 * B <= C`",
    )
    verdicts: dict[Text, Text] = Field(
        default_factory=dict,
        description="required verdicts of claims, by `source/id/evidence`, or outcomes in the "
        "setting that we chose, by `source/id/evidence/chosen`",
    )

    @model_validator(mode="after")
    def _is_grounded(self) -> SentenceConditions:
        if not self.where and not self.verdicts:
            raise ValueError("a sentence rests on something: `where` or `verdicts`")
        return self


class SentencesFile(Part):
    """Content of `paper/sentences.yaml`."""

    sentences: dict[Identifier, SentenceConditions] = Field(
        description="conditions of sentences, by the id in the report's text"
    )


@dataclass(frozen=True)
class Sentence:
    """A sentence of the report, with those of its conditions that do not hold."""

    id: str
    refuted_by: tuple[str, ...]
    missing: tuple[str, ...] = ()
    """Numbers and claims that the sentence depends on but that this run does not have."""

    @property
    def stands(self) -> bool:
        """Whether all conditions of the sentence can be evaluated and are satisfied."""
        return not self.refuted_by and not self.missing


def checked_sentences(numbers: Mapping[str, float], verdicts: Mapping[str, str]) -> list[Sentence]:
    """Return every sentence of `paper/sentences.yaml` with the conditions that do not hold."""
    return [
        Sentence(
            id,
            tuple(_refutations(grounds, numbers, verdicts)),
            tuple(_missing(grounds, numbers, verdicts)),
        )
        for id, grounds in validated(SentencesFile, read(FILE)).sentences.items()
    ]


def _refutations(
    grounds: SentenceConditions, numbers: Mapping[str, float], verdicts: Mapping[str, str]
) -> Iterable[str]:
    for condition in grounds.where:
        if not _unknown(condition, numbers) and (against := _unordered(condition, numbers)):
            yield against
    for claim, expected in grounds.verdicts.items():
        if (found := verdicts.get(claim, expected)) != expected:
            yield f"{claim} is {found}, not {expected}"


def _missing(
    grounds: SentenceConditions, numbers: Mapping[str, float], verdicts: Mapping[str, str]
) -> Iterable[str]:
    """Yield the names of a sentence's numbers without a value, and of claims without a verdict."""
    names = (name for condition in grounds.where for name in _unknown(condition, numbers))
    yield from dict.fromkeys(names)
    yield from (claim for claim in grounds.verdicts if claim not in verdicts)


def _unknown(condition: str, numbers: Mapping[str, float]) -> list[str]:
    """Return the names in a condition that have no numerical value."""
    names = set(_NAME.findall(condition)) - FUNCTIONS.keys()
    return sorted(name for name in names if math.isnan(numbers.get(name, math.nan)))


def _unordered(condition: str, numbers: Mapping[str, float]) -> str | None:
    """Return why a chain of comparisons, such as `A < 2 * B <= C`, does not hold, or None."""
    parts = _SIGN.split(condition)
    terms, signs = parts[::2], parts[1::2]
    if not signs:
        return f"{condition!r} compares nothing"
    try:
        # Given only the numbers that occur in a term, error messages list no others.
        named = ({n: numbers[n] for n in _NAME.findall(term) if n in numbers} for term in terms)
        values = [evaluate(term, own) for term, own in zip(terms, named, strict=True)]
    except ValueError as error:
        return str(error)
    for sign, left, right in zip(signs, values, values[1:], strict=False):
        if not _SIGNS[sign](left, right):
            shown = ", ".join(f"{t} = {v:.4g}" for t, v in zip(terms, values, strict=True))
            return f"{condition}: {shown}"
    return None


def refused(sentences: Iterable[Sentence]) -> ConfigurationError:
    """Return the error that names each of the given sentences with its conditions that fail."""
    document: Document = read(FILE)
    return ConfigurationError(
        [
            Problem(str(FILE), document.line(("sentences", s.id)), s.id, message)
            for s in sentences
            for message in (
                *(f"no longer so: {against}" for against in s.refuted_by),
                *(f"this run does not have {name}" for name in s.missing),
            )
        ]
    )


MUST_HOLD = r"\def\musthold{}%"
"""LaTeX code that makes LaTeX stop at any sentence or number that the results do not support."""


def marks_tex(sentences: Iterable[Sentence], must_hold: bool) -> str:
    r"""Return LaTeX code that defines for each sentence whether the results support it.

    `\stands` marks a sentence whose conditions hold, `\lacks` one that needs missing values. A
    refuted sentence has neither. At a sentence or number that is not supported, LaTeX stops if it
    must hold, or else prints a mark.
    """
    lines = [
        f"\\{'lacks' if s.missing else 'stands'}{{{s.id}}}%" for s in sentences if not s.refuted_by
    ]
    return "\n".join([MUST_HOLD if must_hold else "%", *lines]) + "\n"


def unsupported_sentences(texts: Iterable[Path], macros: str, standing: str) -> list[Problem]:
    """Return a problem for each number or sentence in the report that results do not support."""
    made = {
        "result": re.findall(r"\\defineresult\{(\w+)\}", macros),
        "interval": re.findall(r"\\defineinterval\{(\w+)\}", macros),
        "holds": re.findall(r"\\stands\{([^}]+)\}", standing),
    }
    missing = {
        "result": "no result is called so",
        "interval": "no result that was measured is called so",
        "holds": f"{FILE} has no grounds for it",
    }
    return [
        Problem(str(file), number, f"\\{kind}{{{name}}}", missing[kind] + nearest(name, made[kind]))
        for file in texts
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        for kind, name in _QUOTED.findall(_COMMENT.sub("", line))
        if name not in made[kind]
    ]


COLUMNS = ["sentence", "refuted_by", "missing"]


def records(sentences: Iterable[Sentence]) -> list[dict[str, str]]:
    """Return a table row for each condition that fails and each value that is missing.

    A row has the id of the sentence (`sentence`), and under `refuted_by` the failed condition or
    under `missing` the name of the missing number or verdict.
    """
    return [
        {"sentence": s.id, column: reason}
        for s in sentences
        for column, reasons in (("refuted_by", s.refuted_by), ("missing", s.missing))
        for reason in reasons
    ]
