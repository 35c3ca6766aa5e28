"""What is asked for by name."""

from __future__ import annotations

import re

import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.workflow.console import TARGETS, hint_for
from tcpgoodput.workflow.plan import Plan
from tcpgoodput.workflow.targets import check_targets
from tests.folders import ROOT


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan.from_command_line({"configuration": str(ROOT / "config/test/config.yaml")}, [])


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("{figures}/mathis/pth.pdf", "did you mean path?"),
        ("{results}/mathis/pth.csv", "did you mean path?"),
        ("{figures}/mathis/zzz.png", "it has "),
        ("{figures}/mathis/path.pdf", None),
        ("{figures}/comparison/matrix.pdf", None),  # no study's
        ("figures/mathis/pth.pdf", None),  # of another run
        ("report", None),
        ("--cores", None),
    ],
)
def test_a_misspelled_figure_is_told_with_the_nearest(
    plan: Plan, target: str, said: str | None
) -> None:
    target = target.format(figures=plan.run.figures, results=plan.run.results)
    if said is None:
        check_targets(plan, ["all", target])
        return
    with pytest.raises(ConfigurationError) as refused:
        check_targets(plan, ["all", target])
    assert said in str(refused.value)
    assert target in str(refused.value)


@pytest.mark.parametrize("given", [None, 5, [], ""])
def test_the_settings_are_a_file(given: object) -> None:
    with pytest.raises(ConfigurationError, match="configuration: needs a file"):
        Plan.from_command_line({"configuration": given}, [])


@pytest.mark.parametrize("key", ["figures", "claims"])
def test_a_key_that_is_given_needs_a_value(key: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{key}: needs a value"):
        Plan.from_command_line({key: None}, [])


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("exlpore", "; did you mean ./reproduce explore?"),
        ("reprot", "; did you mean report?"),
        ("figure/mathis/fig01.pdf", "; did you mean figures/mathis/fig01.pdf?"),
        ("figures/mathis/none.pdf", ""),
        ("zzz", ""),
    ],
)
def test_what_nothing_makes_is_told_with_the_nearest(target: str, hint: str) -> None:
    assert hint_for(target) == hint


def test_every_target_that_is_proposed_is_a_rule() -> None:
    text = "\n".join(file.read_text() for file in (ROOT / "workflow").rglob("*.smk"))
    text += (ROOT / "workflow/Snakefile").read_text()
    assert set(TARGETS) <= set(re.findall(r"(?m)^ *rule (\w+):", text))
