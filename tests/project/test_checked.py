"""The cached check of a configuration is used until a file or the code changes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.project import checked as module
from tcpgoodput.project.checked import MOST_KEPT, checked, derived
from tcpgoodput.project.settings import Configuration
from tests import worked_example
from tests.folders import ROOT

TINY = Path("config/test/config.yaml")


class Counted:
    """A copy of the project's configuration that counts how often it is checked completely."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.times = 0
        self.check = module.load_configuration
        shutil.copytree(ROOT / "config", folder / "config")
        (folder / "data").symlink_to(ROOT / "data")
        (folder / "paper").symlink_to(ROOT / "paper")

    def load(self, *given: object) -> Configuration:
        self.times += 1
        return self.check(*given)

    def change(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counted:
    found = Counted(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "load_configuration", found.load)
    return found


def test_an_unchanged_configuration_is_checked_once(counted: Counted) -> None:
    first, second = checked(TINY), checked(TINY)
    assert counted.times == 1
    assert first.settings == second.settings
    assert first.sources.keys() == second.sources.keys()
    assert first.sources["mathis"].figures == second.sources["mathis"].figures
    assert first.comparison == second.comparison


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("config/test/config.yaml", "precision: draft", "precision: paper"),
        ("config/test/figures/mathis.yaml", "title: ", "title: Another "),
        ("config/test/scenarios/lossy.yaml", "title: ", "title: Another "),
        ("config/style.yaml", 'label: "', 'label: "Another '),
    ],
)
def test_a_changed_file_is_checked_again(counted: Counted, file: str, old: str, new: str) -> None:
    checked(TINY)
    counted.change(file, old, new)
    checked(TINY)
    assert counted.times == 2


ELSEWHERE = """sources: [mathis]
figures: ../config/test/figures
style: ../config/style.yaml
comparison: ../config/test/comparison.yaml
"""


def test_files_that_other_files_name_are_checked_again(counted: Counted) -> None:
    """The folder of the settings has neither the scenarios nor the trace that one of them names."""
    settings, trace = Path("mine/config.yaml"), Path("traces/link.csv")
    for file, text in ((settings, ELSEWHERE), (trace, "time_s,capacity_bps\n0,1e6\n1,5e5\n")):
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
    scenarios = Path("config/test/scenarios")
    with (scenarios / "drop-tail.yaml").open("a", encoding="utf-8") as file:
        file.write("capacity: {process: trace, file: ../../../traces/link.csv}\n")
    lossy = (scenarios / "lossy.yaml").read_text(encoding="utf-8")
    changes: list[Callable[[], object]] = [
        lambda: None,
        lambda: trace.write_text("time_s,capacity_bps\n0,1e6\n2,5e5\n", encoding="utf-8"),
        lambda: counted.change("config/test/scenarios/lossy.yaml", "title: ", "title: Another "),
        lambda: counted.change("config/test/heldout.yaml", "seed: 3", "seed: 4"),
        lambda: (scenarios / "new.yaml").write_text(lossy.replace("id: lossy", "id: new")),
    ]
    found = []
    for times, change in enumerate(changes, start=1):
        change()
        found += [derived("names", lambda c: [*c.comparison.scenarios], settings) for _ in range(2)]
        assert counted.times == times
    assert found[-1] == ["drop-tail", "lossy", "new"]


def test_other_packages_need_a_new_check(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    checked(TINY)
    monkeypatch.setattr(module, "installed", lambda: ["pydantic-99.dist-info"])
    checked(TINY)
    assert counted.times == 2


def test_changed_settings_are_part_of_the_cache_key(counted: Counted) -> None:
    assert checked(TINY, {"precision": "paper"}).settings.precision == "paper"
    assert checked(TINY).settings.precision == "draft"
    assert checked(TINY, {"precision": "paper"}).settings.precision == "paper"
    assert counted.times == 2


def test_a_changed_run_name_needs_no_new_check(counted: Counted) -> None:
    checked(TINY)
    assert checked(TINY, {"run": "mine"}).settings.run == "mine"
    assert checked(TINY).settings.run == "test"
    assert counted.times == 1


def test_an_invalid_file_is_reported_each_time(counted: Counted) -> None:
    counted.change("config/test/figures/mathis.yaml", "title: ", "titel: ")
    for times in (1, 2):
        with pytest.raises(ConfigurationError, match="titel"):
            checked(TINY)
        assert counted.times == times


CHECK = """
from tcpgoodput.models import MODELS
from tcpgoodput.project import checked
#checked.load_configuration = None
checked.checked("config/test/config.yaml")
print("tfrc" in MODELS.names())
"""


def test_a_users_own_model_is_loaded_from_the_cache(counted: Counted) -> None:
    worked_example.add_to(counted.folder / TINY)
    # In the second program the check is replaced by None, so it must use the cache.
    for code in (CHECK, CHECK.replace("#", "")):
        job = [sys.executable, "-c", code]
        done = subprocess.run(job, cwd=counted.folder, capture_output=True, text=True, check=True)
        assert done.stdout == "True\n"


RAISING = b"cbuiltins\nlen\n(tR."
"""A pickle whose reading raises a TypeError, as that of a class that has changed may."""


@pytest.mark.parametrize("damage", [b"", b"no pickle", b"\x80\x05.", RAISING])
def test_a_damaged_cache_is_checked_again(counted: Counted, damage: bytes) -> None:
    checked(TINY)
    for times, kept in enumerate((counted.folder / ".cache/configuration").iterdir(), start=2):
        kept.write_bytes(damage)
        checked(TINY)
        assert counted.times == times


def test_without_a_cache_folder_each_call_checks(counted: Counted) -> None:
    (counted.folder / ".cache").touch()
    assert checked(TINY).settings == checked(TINY).settings
    assert counted.times == 2


def test_the_number_of_cache_files_is_limited(counted: Counted) -> None:
    for seed in range(MOST_KEPT + 3):
        derived("seed", lambda found: found.settings.seed, TINY, {"seed": seed})
    # There may be one file more than the limit, because old files are removed before a new one is
    # written.
    assert len(list((counted.folder / ".cache/configuration").iterdir())) <= MOST_KEPT + 1


def test_derived_values_are_computed_once(counted: Counted) -> None:
    request = []

    def seed(found: Configuration) -> int:
        request.append(found.settings.seed)
        return found.settings.seed

    assert [derived("seed", seed, TINY, {"seed": n}) for n in (1, 2, 1, 2)] == [1, 2, 1, 2]
    assert request == [1, 2]
