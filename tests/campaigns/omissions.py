"""Leave out each part of the configuration that may be missing: every run must make its report.

python -m tests.campaigns.omissions [NAME ...]

The runs are those of the tiny configuration (`config/test`) in a temporary copy of the project.
Each takes about a minute. The exit status is 1 if a run fails or makes no report.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import yaml

from tests.campaigns.tiny_run import TinyRun

CONFIGURATION = Path("config/test")
SETTINGS = CONFIGURATION / "config.yaml"
REPORT = "paper/report.pdf"


def settings_alone(folder: Path) -> None:
    """Reduce the settings to the only key that has no default."""
    _write(folder / SETTINGS, {"sources": ["mathis"]})
    shutil.copy(folder / "config/style.yaml", folder / CONFIGURATION)


def no_claims(folder: Path) -> None:
    """Remove the folders of claims and of printed numbers, and the key that names the claims."""
    _without(folder / SETTINGS, "claims")
    shutil.rmtree(folder / CONFIGURATION / "claims")
    shutil.rmtree(folder / CONFIGURATION / "printed")


def no_held_out_connections(folder: Path) -> None:
    """Remove the file of the held-out connections from the comparison."""
    _without(folder / CONFIGURATION / "comparison.yaml", "held")


def comparison_alone(folder: Path) -> None:
    """Remove everything from the comparison but its families."""
    keys = ("scenarios", "held", "variations", "sensitivity", "maps")
    _without(folder / CONFIGURATION / "comparison.yaml", *keys)


def one_scenario(folder: Path) -> None:
    """Leave one scenario to compare models on."""
    (folder / CONFIGURATION / "scenarios/lossy.yaml").unlink()


def _without(file: Path, *keys: str) -> None:
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    _write(file, {key: value for key, value in content.items() if key not in keys})


def _write(file: Path, content: object) -> None:
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")


def nothing(folder: Path) -> None:
    """Change no file; the settings on the command line leave something out."""


Omission = tuple[Callable[[Path], None], tuple[str, ...]]

OMISSIONS: dict[str, Omission] = {
    "comparison": (nothing, ("comparison=null",)),
    "census": (nothing, ("census=null",)),
    "comparison and census": (nothing, ("comparison=null", "census=null")),
    "a study": (nothing, ("sources=[mathis]",)),
    "all but the sources": (settings_alone, ("run=test", "precision=draft")),
    "claims": (no_claims, ()),
    "held-out connections": (no_held_out_connections, ()),
    "all but the families": (comparison_alone, ()),
    "a scenario": (one_scenario, ()),
    "models": (nothing, ("models=[]",)),
}
"""What is left out: a change of the copy's files, and settings on the command line."""


def failure(name: str) -> str:
    """Return what is wrong with a run that leaves something out; empty if nothing is."""
    change, settings = OMISSIONS[name]
    with tempfile.TemporaryDirectory() as folder:
        run = TinyRun(Path(folder) / "project")
        change(run.folder)
        status, message = run.finish(*settings)
        made = run.folder / "runs/test" / REPORT
        if status:
            return message
        return "" if made.is_file() else f"no {REPORT}"


def main() -> int:
    """Run all omissions, or those that are named, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
    )
    failed = False
    for name in parser.parse_args().names or OMISSIONS:
        wrong = failure(name)
        failed = failed or bool(wrong)
        print(f"without {name}: {wrong or 'the report is made'}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
