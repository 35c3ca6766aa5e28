"""Problems found in configuration, and the error that reports all of them."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tcpgoodput.configuration.terminal import visible

ENOUGH_PROBLEMS = 9
"""Number of invalid lines of a data file after which reading stops. A report shows eight problems,
so one more is enough for the remark that there are more."""

REPORT_PROBLEMS = 8
REPORT_CHARACTERS = 1200
"""Most problems and most characters of a report; chosen by hand."""

FURTHER_CHARACTERS = 400
"""Most characters in a report of each problem but the first; chosen by hand."""

MOST_SUGGESTED = 3
"""Most similar names that a message suggests; chosen by hand."""

EQUALLY_SIMILAR = 0.05
"""Difference of two similarities, from 0 to 1 as difflib computes them, up to which both names are
suggested; chosen by hand."""

MOST_LISTED = 12
"""Most allowed names that a message lists although it suggests a similar one; chosen by hand."""

LONGEST_QUOTED = 40

LONGEST_NAME = 100
"""Length in characters up to which a name is compared with similar ones; chosen by hand."""


LEAST_LETTERS = 3
"""Smallest number of letters that `nearest` accepts as a part of a longer name; chosen by hand."""


@dataclass(frozen=True, order=True)
class Problem:
    """A problem in a file: its line and key, and a message.

    Line 0 and an empty key mean the whole file.
    """

    file: str
    line: int
    key: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        named = f"{place}: {self.key}" if self.key else place
        return visible(f"{named.replace(chr(10), ' ')}: {self.message}")

    def record(self) -> dict[str, Any]:
        """Return the problem for output as JSON; a line or key of None means the whole file."""
        line, key = self.line or None, self.key or None
        return {"file": self.file, "line": line, "key": key, "message": self.message}


class ConfigurationError(Exception):
    """Invalid input; the exception holds every problem that was found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__(self.report())

    def report(self) -> str:
        """Return the first problems as text, one in each line.

        At most `REPORT_PROBLEMS` problems are shown, in at most `REPORT_CHARACTERS` characters. The
        first one is always shown; a long text is shortened in its middle. If problems are left out,
        the last line has their number.
        """
        lines: list[str] = []
        alone = len(self.problems) == 1
        left = REPORT_CHARACTERS - (0 if alone else len(_more(len(self.problems))))
        for problem in self.problems[:REPORT_PROBLEMS]:
            line = _shortened(str(problem), FURTHER_CHARACTERS if lines else left - 1)
            if len(line) + 1 > left:
                break
            lines.append(line)
            left -= len(line) + 1
        if rest := len(self.problems) - len(lines):
            lines.append(_more(rest))
        return "\n".join(lines)


def with_hint(problems: Iterable[Problem], hint: str) -> list[Problem]:
    """Return problems in the order of a report, with a hint at the end of the last one."""
    *others, last = sorted(problems)
    return [*others, replace(last, message=f"{last.message}; {hint}")]


def quoted(text: str | bytes) -> str:
    """Return a part of a data file as messages quote it, shortened to 40 characters."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    return repr(text if len(text) <= LONGEST_QUOTED else text[: LONGEST_QUOTED - 1] + "…")


class WrongKey(ValueError):
    """Error of a schema's check across several keys, with the key at which to report it.

    Without it, the error is reported at the mapping to which the check belongs.
    """

    def __init__(self, key: tuple[str, ...], message: str) -> None:
        """Store the key, relative to the mapping of the check, and the message."""
        self.key = key
        super().__init__(message)


@contextmanager
def collecting(problems: list[Problem]) -> Iterator[None]:
    """Catch a `ConfigurationError` in the context, and add its problems to a list."""
    try:
        yield
    except ConfigurationError as error:
        problems += error.problems


def refused(file: Path | str, key: str, message: str, line: int = 0) -> ConfigurationError:
    """Return a `ConfigurationError` with a single problem; the caller raises the error."""
    return ConfigurationError([Problem(str(file), line, key, message)])


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Return `; did you mean ...?` with the allowed names most similar to `name`.

    Several names are suggested if they are about equally similar. The text is empty if no allowed
    name is similar or contains `name`. If no name is similar in upper and lower case, the two
    count as the same.
    """
    if len(name) > LONGEST_NAME:
        return ""
    names = list(allowed)
    alike = _similar(name, names)
    if not alike:
        spelled = {other.lower(): other for other in names}
        lowered = name.lower()
        matches = _similar(lowered, spelled)
        if not matches and len(name) >= LEAST_LETTERS:
            matches = [other for other in spelled if lowered in other][:MOST_SUGGESTED]
        alike = [spelled[match] for match in matches]
    *others, last = alike or [""]
    return f"; did you mean {', '.join(others)}{' or ' * bool(others)}{last}?" if last else ""


def _similar(name: str, allowed: Iterable[str]) -> list[str]:
    """Return the most similar names, best first; empty if none is similar."""
    alike = difflib.get_close_matches(name, allowed, n=MOST_SUGGESTED, cutoff=0.6)
    likeness = {other: difflib.SequenceMatcher(None, other, name).ratio() for other in alike}
    return [other for other in alike if likeness[other] > likeness[alike[0]] - EQUALLY_SIMILAR]


def choices(allowed: Iterable[str]) -> str:
    """Return the allowed names as text for the end of a message."""
    return "allowed: " + (", ".join(allowed) or "none, for there are none")


def alternatives(name: str, allowed: Collection[str], hint: str = "") -> str:
    """Return the end of a message about an unknown name: a hint, and the allowed names.

    Without a hint, similar names are suggested. Many names are left out after a hint, because the
    hint would be lost among them.
    """
    hint = hint or nearest(name, allowed)
    return hint if hint and len(allowed) > MOST_LISTED else f"{hint} ({choices(allowed)})"


def _more(count: int) -> str:
    return f"and {count} more problem{'s' if count > 1 else ''}"


def _shortened(text: str, characters: int) -> str:
    """Return a text with `…` for its middle if it is too long; its ends say what and what to do."""
    if len(text) <= characters:
        return text
    end = characters // 4
    return f"{text[: characters - end - 1]}…{text[-end:]}"
