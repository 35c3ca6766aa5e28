"""Texts of the configuration are typeset as text, whatever they look like."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.configuration.markup import misplaced_markup, to_latex


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
def test_markup_outside_mathematics_is_printed_not_obeyed(text: str) -> None:
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
    ],
)
def test_letters_with_an_index_are_symbols(text: str, latex: str) -> None:
    assert to_latex(text) == latex


@pytest.mark.parametrize("text", [r"$\tau_{CA}$", "$E(T)$ in s", r"$\frac{a}{b}$ and $\sqrt{p}$"])
def test_mathematics_passes(text: str) -> None:
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
    ],
)
def test_other_commands_are_refused(text: str) -> None:
    assert misplaced_markup(text)


@given(st.text(alphabet=st.characters(blacklist_characters="$"), max_size=80))
def test_any_text_becomes_printable_ascii_or_latin(text: str) -> None:
    assert all(ord(c) < 0x180 for c in to_latex(text))
