"""A job of the workflow depends on every code file that Python imports when the job runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tcpgoodput import jobs
from tcpgoodput.jobs import imported_files
from tcpgoodput.models import MODELS
from tests.models.closures import files_of_model

SOURCE = Path(__file__).parents[1] / "src" / "tcpgoodput"


def names(files: list[Path], folder: Path) -> set[str]:
    return {str(file.relative_to(folder).with_suffix("")) for file in files}


def test_a_missing_module_is_reported() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"tcpgoodput\.model\.pftk"):
        imported_files("tcpgoodput.model.pftk")


ASKED = """
import importlib, json, sys
from tcpgoodput.answers import Conditions
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario

for module, name, scenario in json.load(sys.stdin):
    model = vars(importlib.import_module(module))[name]()
    assert predict(model, Scenario.model_validate(scenario), Conditions()).goodput_pps
print(json.dumps([m.__file__ for n, m in sys.modules.items() if n.startswith("tcpgoodput")]))
"""


def scenario(**parts: object) -> dict[str, object]:
    return {
        "id": "a",
        "title": "A",
        "tcp": {"variant": "newreno", "mss_bytes": 1000, "max_window_packets": 30},
        "path": {"rate_bps": 1e6, "forward_delay_s": 0.05, "backward_delay_s": 0.05},
        "loss": {"process": "bernoulli", "probability": 0.01},
        **parts,
    }


BURSTY = {"process": "gilbert-elliott", "good_to_bad": 0.001, "bad_to_good": 0.3}
SPIKES = {
    "interval": {"distribution": "exponential", "mean_s": 40.0},
    "duration": {"distribution": "constant", "mean_s": 3.0},
}
VARYING = {"process": "sinusoid", "min_bps": 5e5, "max_bps": 1e6, "frequency_hz": 0.1}


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("mathis", {"loss": BURSTY}),
        ("pftk", {"spikes": SPIKES, "capacity": VARYING}),
        ("packet_trains", {}),
        ("delay_spikes.lossy", {"spikes": SPIKES}),
        ("variable_capacity.fluid", {"loss": {"process": "none"}, "capacity": VARYING}),
    ],
)
def test_files_of_a_model_include_all_modules_of_a_prediction(
    name: str, parts: dict[str, object]
) -> None:
    model = MODELS[name]
    request = [(type(model).__module__, type(model).__name__, scenario(**parts))]
    run = subprocess.run(
        [sys.executable, "-c", ASKED], input=json.dumps(request), capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    loaded = {Path(file) for file in json.loads(run.stdout)}
    known = set(files_of_model(model))
    assert known >= loaded
    assert SOURCE / "models" / "base.py" in known


def test_files_of_a_model_exclude_other_models() -> None:
    of_mathis = names(files_of_model(MODELS["mathis"]), SOURCE)
    assert {"models/mathis/square_root", "models/reductions/answer", "models/base"} <= of_mathis
    assert not {"models/literature/misra", "models/handoffs/newreno_handoffs"} & of_mathis
    of_fluid = names(files_of_model(MODELS["variable_capacity.fluid"]), SOURCE)
    assert "models/variable_capacity/_kernel" in of_fluid - of_mathis


def test_a_packages_digests_include_its_registered_modules() -> None:
    of_models = jobs.digests_of("tcpgoodput.models")
    assert {"models/literature/misra.py", "models/packet_trains/errata.py"} <= of_models.keys()


ONE = '''"""Says nothing."""
from math import pi  # of a circle

def area(r):
    return pi * r**2
'''


def code(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    jobs._code.cache_clear()
    jobs._parsed.cache_clear()
    return jobs._code(path)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("  # of a circle", "", True),
        ("\n\ndef", "\n\n\n# An area.\ndef", True),
        ("r**2", "(r ** 2)", True),
        ("r**2", "r**3", False),
        ("nothing", "something", True),
        ('"""Says nothing."""\n', "", True),
        ("return pi", "'the area'; return pi", True),
        ("pi * r", "'pi' * r", False),
        ("import pi", "import pi, e", False),
    ],
)
def test_a_code_digest_ignores_comments_docstrings_and_layout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, same: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "one.py"
    assert (code(file, ONE) == code(file, ONE.replace(old, new))) is same


@pytest.mark.parametrize("broken", [b"", b"[]", b'{"a": 1}', b"\xff"])
def test_a_damaged_code_cache_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    first = code(tmp_path / "one.py", ONE)
    jobs.PARSED.parent.mkdir()
    jobs.PARSED.write_bytes(broken)
    assert code(tmp_path / "one.py", ONE) == first
