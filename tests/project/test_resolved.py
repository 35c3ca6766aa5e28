"""A configuration that is recorded and restored is the same: in all that jobs ask of it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tcpgoodput.project.configuration import Configuration
from tcpgoodput.project.resolved import recorded, restored
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.scenario.files import override
from tests import worked_example

ROOT = Path(__file__).parents[2]
FILES = {"own": ROOT / "config" / "config.yaml", "test": ROOT / "config" / "test" / "config.yaml"}


@pytest.fixture(scope="module", params=FILES)
def configuration(request: pytest.FixtureRequest) -> Configuration:
    return load_configuration(FILES[request.param], {"seed": 7, "precision": "draft"})


def again(configuration: Configuration) -> Configuration:
    return restored(json.loads(json.dumps(recorded(configuration))))


def test_it_is_the_same(configuration: Configuration) -> None:
    found = again(configuration)
    assert (found.path, found.settings) == (configuration.path, configuration.settings)
    assert found.style.palette == configuration.style.palette
    assert list(found.sources) == list(configuration.sources)
    for name, source in configuration.sources.items():
        assert found.sources[name].scenarios == source.scenarios
        assert found.sources[name].figures.figures == source.figures.figures
        assert found.sources[name].figures.title == source.figures.title
    assert found.claims == configuration.claims
    assert found.comparison == configuration.comparison


def test_a_stack_that_a_claim_sets_means_the_same(configuration: Configuration) -> None:
    stack = {"tcp.stack": "linux-6.18", "tcp.variant": "sack"}
    taken = 0
    for name, source in again(configuration).sources.items():
        for key, before in configuration.sources[name].scenarios.items():
            try:
                wanted = override(before, stack)
            except ValueError:
                continue  # it has a key that no kernel has
            assert override(source.scenarios[key], stack) == wanted
            taken += 1
    assert taken


def test_recorded_again_it_is_the_same_bytes(configuration: Configuration) -> None:
    assert json.dumps(recorded(again(configuration))) == json.dumps(recorded(configuration))


def test_problems_with_claims_are_told_where_they_stand(configuration: Configuration) -> None:
    for name, claims in again(configuration).claims.items():
        text = Path(claims.file).read_text(encoding="utf-8").splitlines()
        for claim in claims.claims:
            line = text[claims.problem(claim, "is wrong").line - 1]
            assert line.split("id:")[1].strip() == claim.id, name


RECORD = """
import json, sys
from tcpgoodput.project.resolved import recorded
from tcpgoodput.project.settings import load_configuration
print(json.dumps(recorded(load_configuration("config/test/config.yaml"))))
"""
RESTORE = """
import json, sys
from tcpgoodput.models import MODELS
from tcpgoodput.project.resolved import restored
configuration = restored(json.load(sys.stdin))
print(configuration.settings.models, "tfrc" in MODELS.names())
"""


def test_models_of_ones_own_are_known_to_who_restores(tmp_path: Path) -> None:
    config = tmp_path / "config"
    shutil.copytree(FILES["test"].parent, config / "test")
    shutil.copy(ROOT / "config" / "style.yaml", config)
    worked_example.add_to(config / "test" / "config.yaml")

    def run(code: str, given: str = "") -> str:
        job = [sys.executable, "-c", code]
        done = subprocess.run(
            job, cwd=tmp_path, input=given, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert run(RESTORE, run(RECORD)) == "['my_models/tfrc.py'] True\n"
