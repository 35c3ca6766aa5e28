r"""Sentences of the text that stand only while its numbers do.

In the text `\holds{ID}{...}` encloses what compares; `paper/sentences.yaml` says under ID which
numbers and verdicts it rests on.
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
_INPUT = re.compile(r"\\input\{([^}]+)\}")
_SIGN = re.compile(r"\s*(<=|>=|<|>)\s*")


class Grounds(Part):
    """What a sentence rests on: all of it must hold."""

    where: list[Text] = Field(
        default_factory=list, description="order of the report's numbers: `A < 2 * B <= C`"
    )
    verdicts: dict[Text, Text] = Field(
        default_factory=dict, description="of claims, by `source/id/evidence`"
    )

    @model_validator(mode="after")
    def _is_grounded(self) -> Grounds:
        if not self.where and not self.verdicts:
            raise ValueError("a sentence rests on something: `where` or `verdicts`")
        return self


class SentencesFile(Part):
    """The file `paper/sentences.yaml`."""

    sentences: dict[Identifier, Grounds] = Field(description="by the id that the text names")


@dataclass(frozen=True)
class Sentence:
    """A sentence, and what speaks against it."""

    id: str
    refuted_by: tuple[str, ...]
    missing: tuple[str, ...] = ()
    """Numbers and claims that it rests on and that this run does not have."""

    @property
    def stands(self) -> bool:
        """Whether all that it rests on is there and holds."""
        return not self.refuted_by and not self.missing


def judged(numbers: Mapping[str, float], verdicts: Mapping[str, str]) -> list[Sentence]:
    """Return every sentence of the file with what refutes it.

    Args:
        numbers: the report's numbers, by name.
        verdicts: of the claims, by `source/id/evidence`.

    """
    return [
        Sentence(
            id,
            tuple(_refutations(grounds, numbers, verdicts)),
            tuple(_missing(grounds, numbers, verdicts)),
        )
        for id, grounds in _read(FILE).sentences.items()
    ]


def _read(path: Path) -> SentencesFile:
    return validated(SentencesFile, read(path))


def _refutations(
    grounds: Grounds, numbers: Mapping[str, float], verdicts: Mapping[str, str]
) -> Iterable[str]:
    for condition in grounds.where:
        if not _unknown(condition, numbers) and (against := _unordered(condition, numbers)):
            yield against
    for claim, expected in grounds.verdicts.items():
        if (found := verdicts.get(claim, expected)) != expected:
            yield f"{claim} is {found}, not {expected}"


def _missing(
    grounds: Grounds, numbers: Mapping[str, float], verdicts: Mapping[str, str]
) -> Iterable[str]:
    """Yield the numbers without a value and the claims without a verdict, each once."""
    names = (name for condition in grounds.where for name in _unknown(condition, numbers))
    yield from dict.fromkeys(names)
    yield from (claim for claim in grounds.verdicts if claim not in verdicts)


def _unknown(condition: str, numbers: Mapping[str, float]) -> list[str]:
    """Return the names in a condition that stand for no number, or for one without a value."""
    names = set(_NAME.findall(condition)) - FUNCTIONS.keys()
    return sorted(name for name in names if math.isnan(numbers.get(name, math.nan)))


def _unordered(condition: str, numbers: Mapping[str, float]) -> str | None:
    """Return why a chain of comparisons does not hold, or None if it does."""
    parts = _SIGN.split(condition)
    terms, signs = parts[::2], parts[1::2]
    if not signs:
        return f"{condition!r} compares nothing"
    try:
        values = [evaluate(term, _named(term, numbers)) for term in terms]
    except ValueError as error:
        return str(error)
    for sign, left, right in zip(signs, values, values[1:], strict=False):
        if not _SIGNS[sign](left, right):
            shown = ", ".join(f"{t} = {v:.4g}" for t, v in zip(terms, values, strict=True))
            return f"{condition}: {shown}"
    return None


def _named(term: str, numbers: Mapping[str, float]) -> dict[str, float]:
    """Return the numbers that a term names: all of them would drown a message about one."""
    names = _NAME.findall(term)
    return {name: numbers[name] for name in names if name in numbers}


def refused(sentences: Iterable[Sentence]) -> ConfigurationError:
    """Return the error that names every sentence that does not stand."""
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
"""Says to who typesets the text that nothing in it may go without grounds."""


def standing_tex(sentences: Iterable[Sentence], must_hold: bool) -> str:
    """Return which sentences the text may set as they are, and whether it must set them all."""
    lines = [
        f"\\{'lacks' if s.missing else 'stands'}{{{s.id}}}%" for s in sentences if not s.refuted_by
    ]
    return "\n".join([MUST_HOLD if must_hold else "%", *lines]) + "\n"


def included(text: Path) -> list[Path]:
    r"""Return a text of the report and the files that it includes, each once.

    Args:
        text: a file beside which the names in `\input{NAME}` begin.

    """
    found, waiting = [text], [text]
    while waiting:
        content = _uncommented(waiting.pop())
        for name in _INPUT.findall(content):
            file = text.parent / (name if name.endswith(".tex") else f"{name}.tex")
            if file not in found and file.is_file():
                found.append(file)
                waiting.append(file)
    return found


def _uncommented(file: Path) -> str:
    return _COMMENT.sub("", file.read_text(encoding="utf-8"))


def unfounded(texts: Iterable[Path], macros: str, standing: str) -> list[Problem]:
    """Return a problem for each number and each comparison of the text that nothing stands behind.

    Args:
        texts: the report's own files.
        macros: what defines its numbers.
        standing: what `standing_tex` returns.

    """
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
    """Return what refutes sentences, and what they rest on that is missing, a row each."""
    return [
        {"sentence": s.id, column: reason}
        for s in sentences
        for column, reasons in (("refuted_by", s.refuted_by), ("missing", s.missing))
        for reason in reasons
    ]
