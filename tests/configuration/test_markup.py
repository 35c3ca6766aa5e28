"""Special characters in texts of the configuration are printed literally, not interpreted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.mathtext import MathTextParser
from pydantic import TypeAdapter, ValidationError

from tcpgoodput.configuration.markup import to_latex
from tcpgoodput.configuration.mathematics import misplaced_markup
from tcpgoodput.scenario.types import PlainText, Text
from tests.folders import ROOT


@pytest.mark.parametrize(
    "text",
    [
        r"\write18{rm -rf /}",
        r"\input{/etc/passwd}",
        "50 % of $5",
        "snake_case_names & a__b & c#d ~ e^f {g}",
        r"\end{document}",
    ],
)
def test_markup_outside_mathematics_is_escaped(text: str) -> None:
    latex = to_latex(text.replace("$", ""))
    bare = re.sub(r"\\(textbackslash|textasciicircum|textasciitilde)\{\}|\\[&#%_{}$]", "", latex)
    assert not re.search(r"[\\{}%#&_^~$]", bare)


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("T_m and C_max", r"$T_{m}$ and $C_{\max}$"),
        ("every A_h/2, τ_CA", r"every $A_{h}$/2, $\tau_{\mathrm{CA}}$"),
        ("delay_spikes.lossy", r"delay\_spikes.lossy"),
        ("max_s", r"max\_s"),
        ("[a]", "{[}a{]}"),
        ("5 €", r"5 \texteuro{}"),
        ("漢", "{[}U+6F22{]}"),
    ],
)
def test_only_letters_with_an_index_become_symbols(text: str, latex: str) -> None:
    assert to_latex(text) == latex


SOUND = [
    r"$\left[\frac{1}{x_a^2}\right)^3$",
    r"$\hat W_0'' + \hat{x}$",
    r"$\sqrt[3]{\log_2 x} \ldots\,{}^2$",
    "$E(T)$",
    r"$\lfloor\mathrm{a b}\rfloor$",
]


@pytest.mark.parametrize(
    "text", [r"$\tau_{CA}$", "$E(T)$ in s", r"$\frac{a}{b}$ and $\sqrt{p}$", *SOUND]
)
def test_valid_mathematics_is_accepted_and_can_be_drawn(text: str) -> None:
    MathTextParser("path").parse(text)
    assert misplaced_markup(text) is None
    assert to_latex(text).count("$") == text.count("$")


@pytest.mark.parametrize(
    "text",
    [
        r"$\input{x}$",
        r"$\write18{x}$",
        r"$\csname x\endcsname$",
        r"$\def\x{}$",
        "$a",
        "$$",
        "${a$",
        r"$a % b$",
        r"$\catcode`x=1$",
        r"$\frac{1}$",
        r"$\frac{1}{}$",
        r"$\hat$",
        "$x_$",
        "$}x{$",
        "$x_a_b$",
        "$x^2^3$",
        "$x'^2$",
        r"$\left( x$",
        r"${\left( x} \right)$",
        r"$x \right)$",
        r"$\sqrt[{]}{x}$",
        r"$\$",
        r"\$ and $x$ and $",
        "$α$",
        "$漢$",
        "$" + "{" * 900 + "}" * 900 + "$",
    ],
)
def test_unknown_latex_commands_are_refused(text: str) -> None:
    assert misplaced_markup(text)


@given(st.text(alphabet=st.characters(blacklist_characters="$"), max_size=80))
def test_any_text_is_converted_to_printable_ascii_or_latin(text: str) -> None:
    assert all(ord(c) < 0x180 for c in to_latex(text))


def test_latex_prints_every_character_of_the_configuration() -> None:
    files = sorted((ROOT / "config").rglob("*.yaml"))
    assert files
    assert not [file for file in files if "U+" in to_latex(file.read_text(encoding="utf-8"))]


def test_titles_are_checked_for_markup_and_paths_are_not() -> None:
    with pytest.raises(ValidationError, match="without its partner"):
        TypeAdapter(Text).validate_python("5 $")
    assert TypeAdapter(PlainText).validate_python("a$b.csv") == "a$b.csv"
