r"""Grammar of mathematics in `$...$`, the only markup of titles, labels and captions.

Both matplotlib and LaTeX typeset these texts. So the grammar allows only commands that both know
and that only print symbols.

formula  = { item }
item     = [ nucleus ] and at most one of each: "_" argument; "^" argument, or primes
nucleus  = character | symbol | group | \frac group group | \sqrt [ "[" character "]" ] group
           | style group | accent argument | \left fence formula \right fence
style    = \mathrm | \mathit | \mathbf | \overline
accent   = \hat | \tilde | \bar | \dot
argument = character | Greek letter | group
group    = "{" formula "}"
"""

from __future__ import annotations

import re

_NAMES = """
    alpha beta gamma delta varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau
    varphi chi psi omega Gamma Delta Theta Lambda Pi Sigma Phi Psi Omega
    """
LETTERS = dict(zip("αβγδεζηθκλμνξπρστφχψωΓΔΘΛΠΣΦΨΩ", _NAMES.split(), strict=True))
"""LaTeX names of Greek letters."""
GREEK = frozenset(LETTERS.values()) | {"epsilon", "phi"}
SYMBOLS = frozenset(
    """
    cdot cdots ldots times leq geq neq approx sim infty to rightarrow leftarrow pm mp ll gg in
    sum int log exp sin cos min max lceil rceil lfloor rfloor quad
    """.split()
) | set(",;:! ")
GROUPS = {"frac": 2, "sqrt": 1, "mathrm": 1, "mathit": 1, "mathbf": 1, "overline": 1}
"""Number of groups in braces that follow each command."""
ACCENTS = frozenset({"hat", "tilde", "bar", "dot"})
COMMANDS = GREEK | SYMBOLS | GROUPS.keys() | ACCENTS | {"left", "right"}

SEGMENT = re.compile(r"\$([^$]*)\$")
"""Pattern of a formula between $ signs. Splitting a text by it gives prose and formulas
alternately."""

DEEPEST = 8
"""Largest number of groups within each other in a formula; deeper formulas are refused. Chosen by
hand."""

_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|'+|.", re.DOTALL)
_CHARACTER = re.compile(r"[A-Za-z0-9+\-*/<>=:,.;!?()\[\]|]")
_FENCES = set("()[]|/.") | {rf"\{name}" for name in ("lceil", "rceil", "lfloor", "rfloor")}


class _Wrong(Exception):
    """Error in a formula; its message is the rest of a sentence that begins with the formula."""


def misplaced_markup(text: str) -> str | None:
    """Return a message about the first error in a text's $...$ mathematics, or None."""
    if r"\$" in text:
        return r"has \$: a dollar sign cannot be written, because $...$ is mathematics; write USD"
    if text.count("$") % 2:
        return "has a $ without its partner; mathematics stands between two"
    for segment in SEGMENT.findall(text):
        if not segment.strip():
            return "has empty mathematics: $$"
        try:
            parser = _Parser(segment)
            parser.formula()
            if parser.next is not None:
                opening = {"}": "{", r"\right": r"\left"}[parser.next]
                raise _Wrong(f"has {parser.next} before its {opening}")
        except _Wrong as wrong:
            return f"${segment}$ {wrong}"
    return None


class _Parser:
    """Parser of a formula, token by token; spaces only separate tokens."""

    def __init__(self, formula: str) -> None:
        self.tokens = [token for token in _TOKEN.findall(formula) if token != " "]
        for token in self.tokens:
            _refuse_unknown(token)
        self.at = 0
        self.depth = 0

    @property
    def next(self) -> str | None:
        """The next token of the formula, or None at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def formula(self) -> None:
        """Parse items up to the end of a group, of a pair of fences, or of the whole formula."""
        if self.depth > DEEPEST:
            raise _Wrong(f"has more than {DEEPEST} groups in each other")
        self.depth += 1
        while (token := self.next) and token not in ("}", r"\right"):
            if token[0] not in "_^'":
                self.nucleus(token)
            self.scripts()
        self.depth -= 1

    def scripts(self) -> None:
        seen: set[str] = set()
        while (script := self.next) and script[0] in "_^'":
            place = "_" if script == "_" else "^"
            if place in seen:
                raise _Wrong(f"has two {place} after one another: put braces around what is meant")
            seen.add(place)
            self.at += 1
            if script in "_^":
                self.argument(script)

    def nucleus(self, token: str) -> None:
        name = token[1:]
        if token == "{":
            self.group(token)
            return
        self.at += 1
        if name in GROUPS:
            if name == "sqrt" and self.next == "[":
                self.root()
            for _ in range(GROUPS[name]):
                self.group(token)
        elif name in ACCENTS:
            self.argument(token)
        elif name == "left":
            self.fenced()

    def root(self) -> None:
        """Parse the degree of a root, a single character in brackets."""
        found = self.tokens[self.at + 1 : self.at + 3]
        if len(found) < 2 or not found[0].isalnum() or found[1] != "]":
            raise _Wrong(r"must have one letter or digit in the brackets of \sqrt[ ]")
        self.at += 3

    def group(self, owner: str) -> None:
        if self.next != "{":
            raise _Wrong(f"has {owner} without {{ }} behind it")
        self.at += 1
        if self.next == "}" and owner != "{":
            raise _Wrong(f"has {owner} with nothing in its {{ }}")
        self.formula()
        if self.next != "}":
            raise _Wrong("has { without its }")
        self.at += 1

    def argument(self, owner: str) -> None:
        token = self.next or ""
        if token == "{":
            self.group(owner)
        elif _CHARACTER.fullmatch(token) or token[1:] in GREEK:
            self.at += 1
        else:
            raise _Wrong(f"has {owner} without a character, a Greek letter or {{ }} behind it")

    def fenced(self) -> None:
        self.fence(r"\left")
        self.formula()
        if self.next != r"\right":
            raise _Wrong(r"has \left without its \right")
        self.at += 1
        self.fence(r"\right")

    def fence(self, owner: str) -> None:
        if self.next not in _FENCES:
            raise _Wrong(f"has {owner} without a bracket behind it, or a dot for none")
        self.at += 1


def _refuse_unknown(token: str) -> None:
    if token == "\\":
        raise _Wrong("ends in a backslash")
    if token.startswith("\\"):
        if token[1:] not in COMMANDS:
            raise _Wrong(f"uses {token}, which is not among the symbols allowed")
    elif token[0] not in "{}_^'" and not _CHARACTER.fullmatch(token):
        hint = "" if token.isascii() else r": symbols are commands such as \alpha"
        raise _Wrong(f"must not contain {token!r}{hint}")
