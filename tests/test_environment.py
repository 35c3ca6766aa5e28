"""The set-up: three lists of dependencies that agree, and what `./reproduce` does at first."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
SCRIPTS = ["reproduce", ".ci/run", "workflow/scripts/setup.sh", "workflow/scripts/unpack-tex"]


# ---- pyproject.toml, requirements.lock, environment.yml


def wanted() -> dict[str, Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lines = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    return {requirement.name: requirement for requirement in map(Requirement, lines)}


def locked() -> dict[str, str]:
    pins = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert len(pins) == len(dict(pins)), "a package has one version for every Python"
    return dict(pins)


def conda() -> dict[str, str]:
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    return dict(item.split("=", 1) for item in listed if isinstance(item, str) and "=" in item)


def test_lock_has_an_allowed_version_of_every_dependency():
    versions = locked()
    for name, requirement in wanted().items():
        assert requirement.specifier.contains(versions[name]), requirement


def test_conda_environment_has_the_locked_versions():
    versions = locked()
    expected = {name: versions[name] for name in wanted()}
    assert conda() == expected | {name: conda()[name] for name in ("python", "tectonic")}


def test_lock_has_hashes_and_no_address():
    text = (ROOT / "requirements.lock").read_text()
    pins = re.split(r"\n(?=\S+==)", text)[1:]
    assert all("--hash=sha256:" in pin for pin in pins)
    assert "://" not in text
    assert "--index" not in text


# ---- ./reproduce, with stand-ins for what it installs

# Every call is written down in calls.log, in the project's folder.
UV = """#!/bin/sh
echo "uv $*" >>calls.log
[ ! -e uv-fails ] || exit 1
case "$2" in
  sync)
    cp "$0" .venv/bin/uv
    printf '%s\\n' '#!/bin/sh' \\
      'echo "snakemake $* in $(pwd) at $SOURCE_DATE_EPOCH" >>calls.log; exit 3' \\
      >.venv/bin/snakemake
    chmod +x .venv/bin/snakemake ;;
esac
"""


class Clone:
    """A copy of the project's set-up, with nothing on PATH but the shell's tools and stand-ins."""

    def __init__(self, folder: Path):
        self.folder = folder / "a clone"
        self.bin = folder / "bin"
        self.bin.mkdir()
        for name in [*SCRIPTS, "requirements.lock", "pyproject.toml", "CITATION.cff"]:
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
        for name in "awk bash cat chmod cksum cp dirname flock head id mkdir pwd rm sh".split():
            if found := shutil.which(name):
                (self.bin / name).symlink_to(found)
        self.tool("python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        self.tool("tectonic", "#!/bin/sh\n")
        self.tool("uv", UV)

    def tool(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["bash", str(self.folder / "reproduce"), *arguments],
            env={"PATH": str(self.bin), "HOME": "/nonexistent", **environment},
            cwd="/",
            capture_output=True,
            text=True,
            timeout=60,
        )

    def calls(self) -> list[str]:
        log = self.folder / "calls.log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path)


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_are_valid_bash(script):
    subprocess.run(["bash", "-n", ROOT / script], check=True)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["--no-install", "--help"]])
def test_help_sets_up_nothing(clone, arguments):
    run = clone.run(*arguments)
    assert run.returncode == 0
    assert run.stdout.startswith("usage: ./reproduce")
    assert not (clone.folder / ".cache").exists()


def test_workflow_runs_in_the_project_with_the_arguments_and_its_exit_status(clone):
    run = clone.run("--cores", "1", "a target")
    assert run.returncode == 3
    assert clone.calls()[-1] == (
        f"snakemake --cores all --cores 1 a target in {clone.folder} at 1795219200"
    )


def test_source_date_of_the_caller_is_kept(clone):
    clone.run(SOURCE_DATE_EPOCH="1")
    assert clone.calls()[-1].endswith(" at 1")


def test_second_run_sets_up_nothing(clone):
    clone.run()
    assert len(clone.calls()) == 3
    run = clone.run()
    assert len(clone.calls()) == 1
    assert run.stderr == ""


@pytest.mark.parametrize("file", ["requirements.lock", "pyproject.toml"])
def test_changed_dependencies_are_set_up_again(clone, file):
    clone.run()
    clone.calls()
    with (clone.folder / file).open("a") as stream:
        stream.write("# changed\n")
    clone.run()
    assert len(clone.calls()) == 3


def test_moved_project_is_set_up_again(clone):
    clone.run()
    clone.calls()
    clone.folder = clone.folder.rename(clone.folder.with_name("moved"))
    clone.run()
    assert len(clone.calls()) == 3


def test_interrupted_set_up_is_repaired(clone):
    (clone.folder / "uv-fails").touch()
    run = clone.run()
    assert run.returncode == 1
    assert "requirements.lock could not be installed" in run.stderr
    (clone.folder / "uv-fails").unlink()
    clone.calls()
    assert clone.run().returncode == 3
    assert len(clone.calls()) == 3


def test_without_a_fitting_python_the_message_names_one(clone):
    clone.tool("python3", "#!/bin/sh\nexit 1\n")
    run = clone.run()
    assert run.returncode == 1
    assert "Python 3.11, 3.12 or 3.13 is needed" in run.stderr
    assert not (clone.folder / ".venv").exists()


def test_without_latex_the_last_lines_say_what_to_install(clone):
    (clone.bin / "tectonic").unlink()
    run = clone.run("--no-install")
    assert run.returncode == 3
    assert clone.calls()[-1].startswith("snakemake")
    assert "apt-get install --no-install-recommends latexmk" in run.stderr.splitlines()[-2]


def test_nothing_is_installed_into_the_system_when_told_not_to(clone):
    (clone.bin / "tectonic").unlink()
    for name in ("apt-get", "sudo"):
        clone.tool(name, f'#!/bin/sh\necho "{name} $*" >>calls.log\nexit 1\n')
    clone.run("--no-install")
    apt = [call for call in clone.calls() if call.startswith(("apt-get", "sudo"))]
    assert apt
    assert all("Dir::State::Lists=" in call and not call.startswith("sudo") for call in apt)


def test_unwritable_project_is_said(clone):
    (clone.folder / ".cache").write_text("a file where a folder should be")
    run = clone.run()
    assert run.returncode == 1
    assert "not writable" in run.stderr


def test_citation_has_the_version_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert os.access(ROOT / "reproduce", os.X_OK)
