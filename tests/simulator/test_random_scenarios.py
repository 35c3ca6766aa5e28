"""Random valid scenarios, most of them extreme, have a simulated goodput or a reason for none."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import yaml

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.scenario import load_scenario
from tests.random_scenarios import random_scenario, write_random_traces

SCENARIOS = 8


def test_an_extreme_scenario_has_a_finite_goodput_or_a_reason(tmp_path: Path) -> None:
    traces = write_random_traces(Random(7), tmp_path)
    for number in range(SCENARIOS):
        content = random_scenario(Random(f"7/{number}"), traces).model_dump(
            mode="json", exclude_unset=True
        )
        path = tmp_path / f"{number}.yaml"
        path.write_text(yaml.safe_dump(content), encoding="utf-8")
        reason = ""
        goodput_pps = math.nan
        try:
            found = ENGINES["packet"].measure(load_scenario(path), Conditions(precision="draft"))
            goodput_pps = found.ends_pps[2]
        except Undefined as undefined:
            reason = str(undefined).strip()
        assert reason or 0 <= goodput_pps < math.inf, path.read_text(encoding="utf-8")
