"""Every TCP variant, distribution and capacity process of scenarios is supported, or refused.

If one is only in the schema, an error names the place in the code that does not support it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import yaml

from tcpgoodput.api.ledger import EVIDENCE_TITLES
from tcpgoodput.comparison.claims.schema import Evidence
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.engines.base import ENGINE_NAMES
from tcpgoodput.engines.linux.instructions import DEFAULT_PROFILES, kernel_refusal
from tcpgoodput.engines.ns2.script import AGENTS, refusal
from tcpgoodput.engines.path_schedule import durations
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.models.delay_spikes.laws import mean_excess, mean_over, scales
from tcpgoodput.models.mathis.square_root import Mathis
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity.of_time import capacity_steps
from tcpgoodput.scenario.distributions import Distribution
from tcpgoodput.scenario.physics import mean_capacity_bps
from tcpgoodput.scenario.types import Part
from tcpgoodput.scenario.vocabulary import Capacity, Tcp
from tcpgoodput.simulator.channel.capacity import fill_capacity
from tcpgoodput.simulator.channel.state import new_channel
from tcpgoodput.simulator.senders.state import new_sender
from tcpgoodput.studies.schema import EngineName
from tcpgoodput.style import load_style
from tests.scenarios import PLAIN, scenario
from tests.simulator.scripts import FILES, written

ROOT = Path(__file__).parents[1]
VARIANTS = get_args(Tcp.model_fields["variant"].annotation)
BERNOULLI = {"process": "bernoulli", "probability": 0.01}


def stream() -> np.random.Generator:
    return np.random.default_rng(1)


def test_every_variant_has_a_sender_a_style_and_a_packet_script() -> None:
    looks = load_style(ROOT / "config/style.yaml").palette.variants
    played = {written(file)[0]["tcp"]["variant"] for file in FILES}
    for variant in VARIANTS:
        assert new_sender(scenario(tcp={"variant": variant}).tcp) is not None
        assert variant in looks
        assert variant in played
        lossy = scenario(tcp={"variant": variant}, loss=BERNOULLI)
        assert predict(Mathis(), lossy).goodput_pps


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_is_supported_or_refused_by_ns2_and_linux(variant: str) -> None:
    sample = scenario(tcp={"variant": variant})
    assert variant in AGENTS or variant in str(refusal(sample)).lower()
    profile = DEFAULT_PROFILES.get(variant, "newreno")
    assert variant in DEFAULT_PROFILES or variant in str(kernel_refusal(sample, profile))


def test_figures_and_claims_can_name_every_engine() -> None:
    assert get_args(EngineName) == tuple(ENGINE_NAMES) == tuple(ENGINES)
    assert get_args(Evidence) == ("model", *ENGINES) == tuple(EVIDENCE_TITLES)


class NewLaw(Part):
    """A distribution of durations that no model or engine supports."""

    distribution: str = "comet"
    mean_s: float = 1.0


class NewCapacity(Part):
    """A varying capacity that no model or engine supports."""

    process: str = "comet"
    mean_capacity_bps: float = 1e6
    max_bps: float = 1e6
    step_s: float = 0.1


def channel(sample: Scenario) -> object:
    return new_channel(sample, stream(), phase=None)[0]


def of_interval(function: Callable[[Any], object]) -> Callable[[Scenario], object]:
    return lambda sample: function(sample.spikes.interval if sample.spikes else None)


SIDES_OF_LAWS: dict[str, Callable[[Scenario], object]] = {
    "simulator/channel/spikes.py: fill_law": channel,
    "engines/path_schedule.py: durations": of_interval(lambda law: durations(law, stream())),
    "models/delay_spikes/laws.py: mean_excess": of_interval(lambda law: mean_excess(law, 1.0)),
    "models/delay_spikes/laws.py: scales": of_interval(lambda law: scales(law, 1.0)),
    "models/delay_spikes/laws.py: mean_over": of_interval(
        lambda law: mean_over(law, lambda x: x, np.ones(1))
    ),
}
SIDES_OF_CAPACITY: dict[str, Callable[[Scenario], object]] = {
    "simulator/channel/capacity.py: fill_capacity": lambda sample: fill_capacity(
        channel(sample), sample, stream(), phase=None
    ),
    "scenario/capacity/of_time.py: capacity_steps": lambda sample: capacity_steps(
        sample, 0.1, 5, stream()
    ),
}


def with_law(law: Part) -> Scenario:
    spikes = {"interval": CONSTANT, "duration": CONSTANT}
    sample = scenario(spikes=spikes)
    assert sample.spikes is not None
    return sample.model_copy(update={"spikes": sample.spikes.model_copy(update={"interval": law})})


def with_capacity(capacity: Part) -> Scenario:
    return scenario().model_copy(update={"capacity": capacity})


CONSTANT = {"distribution": "constant", "mean_s": 1.0}
KNOWN: dict[str, dict[str, dict[str, Any]]] = {
    "law": {
        "constant": {"mean_s": 1.0},
        "uniform": {"low_s": 1.0, "high_s": 2.0},
        "exponential": {"mean_s": 1.0},
        "pareto": {"mean_s": 1.0, "shape": 2.0},
        "lomax": {"mean_s": 1.0, "shape": 2.0},
        "markov-exponential": {"mean0_s": 1.0, "mean1_s": 2.0, "p01": 0.1, "p10": 0.1},
    },
    "capacity": {
        "sinusoid": {"min_bps": 1e5, "max_bps": 1e6, "frequency_hz": 1.0},
        "square": {"min_bps": 1e5, "max_bps": 1e6, "frequency_hz": 1.0},
        "ar1": {"min_bps": 1e5, "max_bps": 1e6, "coherence_s": 1.0},
        "shadowing": {"peak_bps": 1e6, "mean_bps": 5e5, "speed_mps": 1.0},
        "trace": {"file": "trace.csv"},
    },
}
UNIONS = {"law": (Distribution, "distribution"), "capacity": (Capacity, "process")}
MADE = {"law": with_law, "capacity": with_capacity}
NEW = {"law": NewLaw(), "capacity": NewCapacity()}
SIDES = {"law": SIDES_OF_LAWS, "capacity": SIDES_OF_CAPACITY}


@pytest.mark.parametrize("kind", UNIONS)
def test_every_process_is_handled_in_every_place(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trace.csv").write_text("time_s,capacity_bps\n0,1e6\n1,1e5\n2,1e6\n")
    monkeypatch.chdir(tmp_path)
    union, key = UNIONS[kind]
    parts = {get_args(p.model_fields[key].annotation)[0]: p for p in get_args(get_args(union)[0])}
    assert set(parts) == set(KNOWN[kind]), "a new word needs an example here"
    for word, example in KNOWN[kind].items():
        sample = MADE[kind](parts[word].model_validate({key: word, **example}))
        for side, ask in SIDES[kind].items():
            assert ask(sample) is not None, f"{side}: {word}"
        assert mean_capacity_bps(sample) > 0


@pytest.mark.parametrize(
    ("kind", "side"), [(kind, side) for kind, sides in SIDES.items() for side in sides]
)
def test_a_process_that_is_only_declared_is_reported_with_the_place(kind: str, side: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        SIDES[kind][side](MADE[kind](NEW[kind]))
    assert str(caught.value).startswith(f"src/tcpgoodput/{side}: does not know 'comet', which the")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a folder with a copy of the package, in which only the schema has `westwood`."""
    folder = tmp_path / "src" / "tcpgoodput"
    shutil.copytree(ROOT / "src/tcpgoodput", folder, ignore=shutil.ignore_patterns("__pycache__"))
    vocabulary = folder / "scenario" / "vocabulary.py"
    text = vocabulary.read_text(encoding="utf-8")
    changed = text.replace(
        '"sack", "cubic", "bbr"] = Field(', '"sack", "cubic", "bbr", "westwood"] = Field('
    )
    assert changed != text
    vocabulary.write_text(changed, encoding="utf-8")
    return folder.parent


@pytest.mark.parametrize(
    ("command", "place"),
    [
        ("simulate", "src/tcpgoodput/simulator/senders/state.py: RECOVERIES"),
        ("predict", "src/tcpgoodput/models/predict.py: VARIANTS"),
    ],
)
def test_an_incomplete_variant_is_one_message_without_traceback(
    source: Path, tmp_path: Path, command: str, place: str
) -> None:
    file = tmp_path / "westwood.yaml"
    tcp = {**PLAIN["tcp"], "variant": "westwood"}
    file.write_text(yaml.safe_dump({**PLAIN, "tcp": tcp, "loss": BERNOULLI}), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", "from tcpgoodput.cli import main; main()", command, str(file)],
        env={**os.environ, "PYTHONPATH": str(source)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 2
    # The error message is the last paragraph, after the lines that show progress.
    [message] = run.stderr.split("\n\n")[-1].strip().splitlines()
    assert message.startswith(f"{place}: does not know 'westwood', which the vocabulary has")
