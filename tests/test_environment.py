"""The set-up: lists of dependencies that must agree, and the first steps of `./reproduce`."""

import ast
import contextlib
import fcntl
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from tests.folders import ODD

ROOT = Path(__file__).parents[1]
SCRIPTS = ["reproduce", ".ci/run", "workflow/scripts/setup.sh", "workflow/scripts/unpack-tex"]


# ---- pyproject.toml, requirements.lock, environment.yml


CONDA_NAMES = {"duckdb": "python-duckdb"}
"""Name in conda-forge of each package that has another name there, by its name on PyPI."""


LOCKS = ["requirements.lock", "requirements-browser.lock"]
"""Lock files: of the run and its tests, and of the tests in a browser."""


def wanted(lock: str = LOCKS[0]) -> dict[str, Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    main = project["project"]["dependencies"] + groups["dev"]
    group = lock.removeprefix("requirements-").removesuffix(".lock")
    lines = groups.get(group, main)
    return {requirement.name: requirement for requirement in map(Requirement, lines)}


def locked(lock: str = LOCKS[0]) -> dict[str, str]:
    pins = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / lock).read_text(), re.MULTILINE)
    assert len(pins) == len(dict(pins)), "a package has one version for every Python"
    return dict(pins)


def conda() -> dict[str, str]:
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    return dict(item.split("=", 1) for item in listed if isinstance(item, str) and "=" in item)


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_has_an_allowed_version_of_every_dependency(lock):
    versions = locked(lock)
    for name, requirement in wanted(lock).items():
        assert requirement.specifier.contains(versions[name]), requirement


def test_both_locks_of_one_environment_have_the_same_versions():
    main, browser = map(locked, LOCKS)
    assert [name for name in main.keys() & browser if main[name] != browser[name]] == []


def test_conda_environment_has_the_locked_versions():
    versions = locked()
    expected = {CONDA_NAMES.get(name, name): versions[name] for name in wanted()}
    assert conda() == expected | {name: conda()[name] for name in ("python", "tectonic")}


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_have_hashes_and_no_urls(lock):
    text = (ROOT / lock).read_text()
    pins = re.split(r"\n(?=\S+==)", text)[1:]
    assert all("--hash=sha256:" in pin for pin in pins)
    assert "://" not in text
    assert "--index" not in text


# ---- ./reproduce, with fake uv, apt and other programs

# Fake uv: it logs its calls in calls.log. If a file `uv-fails` exists, it fails; if `uv-waits`
# exists, it waits.
UV = """#!/bin/sh
echo "uv $*" >>calls.log
echo "$UV_CACHE_DIR" >uv-cache
[ ! -e uv-fails ] || exit 1
trap 'echo Cancelled >&2; exit 2' INT
if [ -e uv-waits ]; then touch uv-waiting; fi
while [ -e uv-waits ]; do sleep 0.02; done
if [ "$1" = venv ]; then
  for folder; do :; done
  mkdir -p "$folder"
fi
case "$2" in
  sync)
    cp "$0" .venv/bin/uv
    printf '%s\\n' '#!/bin/sh' 'echo "tcpgoodput $* from $HOME" >>calls.log; exit 4' \\
      >.venv/bin/tcpgoodput
    printf '%s\\n' '#!/bin/sh' \\
      'echo "snakemake $* in $(pwd) at $SOURCE_DATE_EPOCH" >>calls.log; exit 3' \\
      >.venv/bin/snakemake
    chmod +x .venv/bin/snakemake .venv/bin/tcpgoodput ;;
esac
"""

# Fake apt-get: it refuses to install if a file `cut-off` exists, as after an interrupted dpkg.
APT = """#!/bin/sh
echo "apt-get $*" >>calls.log
case "$*" in
  *install*)
    [ ! -e cut-off ] || { echo "E: dpkg was interrupted, run 'dpkg --configure -a'"; exit 100; } ;;
esac
"""

TOOLS = "awk bash cat chmod cksum cp env find grep id mkdir mktemp readlink rm sed sh sleep touch"

Run = subprocess.Popen[str]


class Clone:
    """A copy of the project's set-up, with only the shell's tools and fake programs on PATH."""

    def __init__(self, folder: Path):
        self.folder = folder / ODD
        self.bin = folder / "bin"
        self.bin.mkdir()
        for name in [*SCRIPTS, *LOCKS, "pyproject.toml", "CITATION.cff"]:
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
        for name in TOOLS.split():
            if found := shutil.which(name):
                (self.bin / name).symlink_to(found)
        self.tool("python3", f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
        self.tool("tectonic", "#!/bin/sh\n")
        self.tool("uv", UV)

    def tool(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def start(self, *arguments: str, before: tuple[str, ...] = (), **environment: str) -> Run:
        """Start ./reproduce in a process group of its own; `before` is a command prefix."""
        return subprocess.Popen(
            [*before, shutil.which("bash"), str(self.folder / "reproduce"), *arguments],
            env={"PATH": str(self.bin), "HOME": "/nonexistent", **environment},
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
            # Keep SIGXFSZ ignored, so that a write beyond the limit of file size is an error.
            restore_signals=False,
            # If the tests run in the background of a shell, child processes ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def run(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess:
        started = self.start(*arguments, **options)
        out, errors = started.communicate(timeout=300)
        return subprocess.CompletedProcess(started.args, started.returncode, out, errors)

    def start_and_wait_for_uv(self) -> Run:
        """Start ./reproduce; return while uv waits in its set-up until `uv-waits` is deleted."""
        (self.folder / "uv-waits").touch()
        started = self.start()
        while not (self.folder / "uv-waiting").exists():
            assert started.poll() is None
            time.sleep(0.02)
        (self.folder / "uv-waiting").unlink()
        return started

    def calls(self) -> list[str]:
        log = self.folder / "calls.log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    def refuses(self, message: str, *arguments: str, **options: Any) -> None:
        """Assert that ./reproduce refuses to start, with one line that contains a message."""
        run = self.run(*arguments, **options)
        assert run.returncode == 2
        assert message in run.stderr
        assert run.stderr.count("\n") == 1
        assert not self.calls()


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path)


@pytest.fixture
def ready(clone):
    """Return a clone that is set up already."""
    clone.run()
    clone.calls()
    return clone


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_are_valid_bash(script):
    subprocess.run(["bash", "-n", ROOT / script], check=True)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["--no-install", "--help"]])
def test_help_sets_up_nothing(clone, arguments):
    run = clone.run(*arguments)
    assert run.returncode == 0
    assert run.stdout.startswith("usage: ./reproduce")
    assert not (clone.folder / ".cache").exists()


def test_reproduce_passes_arguments_and_exit_status(clone):
    run = clone.run("--cores", "1", "a target")
    assert run.returncode == 3
    released = yaml.safe_load((ROOT / "CITATION.cff").read_text())["date-released"]
    epoch = int(datetime(released.year, released.month, released.day, tzinfo=UTC).timestamp())
    assert re.fullmatch(
        r"snakemake --cores \d+ --cores 1 a target"
        rf" in {re.escape(str(clone.folder))} at {epoch}",
        clone.calls()[-1],
    )


@pytest.mark.parametrize(("given", "used"), [("1", "1"), ("yesterday", r"\d+")])
def test_a_usable_source_date_of_the_caller_is_kept(clone, given, used):
    clone.run(SOURCE_DATE_EPOCH=given)
    assert re.search(rf" at {used}$", clone.calls()[-1])


def test_source_builds_use_a_folder_without_a_dollar_sign(clone):
    """Packages are built in a folder without `$`, because setuptools would expand `$NAME`."""
    assert "$" in str(clone.folder)
    clone.run()
    cache = (clone.folder / "uv-cache").read_text().strip()
    assert "$" not in cache
    assert not Path(cache).exists()


def test_second_run_sets_up_nothing(ready):
    run = ready.run()
    assert len(ready.calls()) == 1
    assert run.stderr == ""


@pytest.mark.parametrize("file", ["requirements.lock", "pyproject.toml"])
def test_changed_dependencies_are_set_up_again(ready, file):
    with (ready.folder / file).open("a") as stream:
        stream.write("# changed\n")
    ready.run()
    assert len(ready.calls()) == 3


def test_moved_project_is_set_up_again(ready):
    ready.folder = ready.folder.rename(ready.folder.with_name("moved"))
    ready.run()
    assert len(ready.calls()) == 3


def test_interrupted_set_up_is_repaired(clone):
    (clone.folder / "uv-fails").touch()
    run = clone.run()
    assert run.returncode == 1
    assert "requirements.lock could not be installed" in run.stderr
    (clone.folder / "uv-fails").unlink()
    clone.calls()
    assert clone.run().returncode == 3
    assert len(clone.calls()) == 3


def test_without_a_suitable_python_the_message_names_the_versions(clone):
    clone.tool("python3", "#!/bin/sh\nexit 1\n")
    run = clone.run()
    assert run.returncode == 2
    assert "Python 3.11, 3.12, 3.13 or 3.14 is needed" in run.stderr
    assert not (clone.folder / ".venv").exists()


def test_without_latex_the_last_lines_name_packages_to_install(clone):
    (clone.bin / "tectonic").unlink()
    run = clone.run("--no-install")
    assert run.returncode == 3
    assert clone.calls()[-1].startswith("snakemake")
    assert "apt-get install --no-install-recommends latexmk" in run.stderr.splitlines()[-2]


def test_no_install_installs_nothing_on_the_system(clone):
    (clone.bin / "tectonic").unlink()
    for name in ("apt-get", "sudo"):
        clone.tool(name, f'#!/bin/sh\necho "{name} $*" >>calls.log\nexit 1\n')
    clone.run("--no-install")
    apt = [call for call in clone.calls() if call.startswith(("apt-get", "sudo"))]
    assert apt
    assert all("Dir::State::Lists=" in call and not call.startswith("sudo") for call in apt)


def test_explore_sets_up_only_python_and_keeps_home(clone):
    (clone.bin / "tectonic").unlink()
    run = clone.run("explore", "mine.yaml", "--port", "8765")
    assert run.returncode == 4
    assert clone.calls()[-1] == "tcpgoodput explore mine.yaml --port 8765 from /nonexistent"
    assert "LaTeX" not in run.stderr


def test_setup_sets_up_only_python_and_runs_nothing(clone):
    (clone.bin / "tectonic").unlink()
    run = clone.run("setup")
    assert run.returncode == 0
    assert 'export PATH="$PWD/.venv/bin:$PATH"' in run.stderr
    assert "LaTeX" not in run.stderr
    assert (clone.folder / ".venv/bin/tcpgoodput").exists()
    assert not [call for call in clone.calls() if call.startswith(("snakemake", "tcpgoodput"))]
    clone.run("setup")
    assert clone.calls() == []  # a second set-up calls no fake program


def test_relative_files_are_found_from_the_callers_folder(clone):
    there = (str(shutil.which("bash")), "-c", 'cd "$0" && exec "$@"', str(clone.bin.parent))
    clone.run("explore", "bin", before=there)
    assert clone.calls()[-1].startswith(f"tcpgoodput explore {clone.bin} ")


def test_browser_packages_are_installed_once_if_chromium_exists(clone):
    clone.run("test")
    assert not [call for call in clone.calls() if "browser" in call]
    clone.tool("chromium", "#!/bin/sh\n")
    for count in (1, 0):
        clone.run("test")
        installed = [call for call in clone.calls() if "requirements-browser.lock" in call]
        assert len(installed) == count
        assert all("--require-hashes" in call for call in installed)


def test_setup_does_not_choose_the_python_of_the_environment_it_replaces(tmp_path):
    own = tmp_path / ".venv/bin"
    own.mkdir(parents=True)
    (own / "python3").write_text("#!/bin/sh\necho the environment's own\n", encoding="utf-8")
    (own / "python3").chmod(0o755)
    script = (
        f"root={tmp_path}; source <(sed -n '/^find_python()/,/^}}/p' {ROOT}/reproduce); find_python"
    )
    path = f"{own}:{os.environ['PATH']}"
    found = subprocess.run(
        ["bash", "-c", script], env={"PATH": path}, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert "own" not in found
    assert Path(found).is_file()


# ---- ./reproduce: interrupted, started twice at once, or in an unsuitable place


INTERRUPTED = ["reproduce: interrupted; the same command continues from here."]


@pytest.mark.parametrize(
    ("sent", "status", "printed"),
    [(signal.SIGINT, 130, INTERRUPTED), (signal.SIGKILL, -signal.SIGKILL, [])],
)
def test_an_interrupted_or_killed_set_up_continues_later(clone, sent, status, printed):
    started = clone.start_and_wait_for_uv()
    os.killpg(started.pid, sent)
    _, messages = started.communicate(timeout=300)
    assert started.returncode == status
    assert messages.splitlines()[1:] == printed
    (clone.folder / "uv-waits").unlink()
    assert clone.run().returncode == 3


def test_a_second_set_up_names_the_running_one_and_ends(clone):
    first = clone.start_and_wait_for_uv()
    second = clone.run("test")
    assert second.returncode == 2
    assert re.fullmatch(
        rf"reproduce: another run is at work here \(pid {first.pid}, since \d\d:\d\d\), .*\n",
        second.stderr,
    )
    (clone.folder / "uv-waits").unlink()
    first.communicate(timeout=300)
    assert first.returncode == 3


def test_processes_of_a_killed_set_up_are_named(clone):
    first = clone.start_and_wait_for_uv()
    first.kill()
    first.wait()
    second = clone.run()
    assert second.returncode == 2
    message, _, processes = second.stderr.partition(": kill ")
    assert message.endswith("or end it")
    for pid in processes.split():
        # The fake uv's process `sleep` lives for 0.02 s, so it may have ended already.
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    (clone.folder / "uv-waits").unlink()
    assert clone.run().returncode == 3


WAITING = "print(flush=True)\ninput()\n"


@contextlib.contextmanager
def waiting(folder: Path, *arguments: str) -> Iterator[None]:
    """Run Python in a folder with a waiting program, `snakemake` or the module `snakemake`."""
    for name in ("snakemake", "snakemake.py"):
        (folder / name).write_text(WAITING)
    with subprocess.Popen(
        [sys.executable, *arguments, "--cores", "all"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.readline()
        yield
        process.communicate("\n")


@pytest.mark.parametrize("program", [("./snakemake",), ("-m", "snakemake")])
def test_the_environment_of_a_running_workflow_is_not_replaced(clone, program):
    with waiting(clone.folder, *program):
        clone.refuses("a workflow is at work here")
    assert not (clone.folder / ".venv").exists()


def test_a_workflow_in_another_folder_is_ignored(clone):
    elsewhere = clone.folder.parent / "elsewhere"
    elsewhere.mkdir()
    with waiting(elsewhere, "snakemake"):
        assert clone.run().returncode == 3


def test_a_program_that_is_only_given_the_word_snakemake_is_ignored(clone):
    with waiting(clone.folder, "-c", WAITING, "snakemake", ".snakemake/log/x"):
        assert clone.run().returncode == 3


def test_the_folder_and_an_argument_may_be_called_snakemake(clone):
    clone.folder = clone.folder.rename(clone.folder.with_name("snakemake"))
    assert clone.run("snakemake").returncode == 3


def locked_file(clone) -> Path:
    """Write the lock file that Snakemake leaves after a killed run."""
    file = clone.folder / ".snakemake" / "locks" / "0.output.lock"
    file.parent.mkdir(parents=True)
    file.touch()
    return file


def test_locks_of_a_killed_run_are_removed(clone):
    file = locked_file(clone)
    assert clone.run().returncode == 3
    assert not file.exists()


def test_locks_of_a_running_workflow_are_kept(ready):
    file = locked_file(ready)
    with waiting(ready.folder, "snakemake"):
        assert ready.run().returncode == 3
    assert file.exists()


def test_locks_of_a_workflow_in_another_container_are_kept(ready):
    file = locked_file(ready)
    run = ready.folder / ".cache/runs/main"
    run.parent.mkdir()
    with run.open("w") as held:  # the other process is not among those that /proc lists
        fcntl.flock(held, fcntl.LOCK_EX)
        assert ready.run().returncode == 3
        assert file.exists()
    assert ready.run().returncode == 3
    assert not file.exists()


def test_a_second_run_does_not_wait_for_the_set_up_lock(ready):
    with (ready.folder / ".cache/lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert ready.run().returncode == 3


def test_an_interrupted_apt_is_completed_before_using_latex(ready):
    ready.tool("apt-get", APT)
    ready.tool("dpkg", '#!/bin/sh\necho "dpkg $*" >>calls.log\nrm cut-off\n')
    (ready.bin / "id").unlink()
    ready.tool("id", "#!/bin/sh\necho 0\n")
    for mark in (".cache/installing", "cut-off"):
        (ready.folder / mark).touch()
    run = ready.run()
    assert run.returncode == 3
    assert "apt-get did not succeed" not in run.stderr
    update, install, configure, again, _ = ready.calls()
    assert (update, configure) == ("apt-get -q update", "dpkg --configure -a")
    assert " --fix-broken install latexmk " in install
    assert install == again
    assert ready.run().returncode == 3
    assert len(ready.calls()) == 1


def test_commands_work_in_any_folder_and_locale(clone):
    (clone.folder / "src").mkdir()
    clone.run()
    assert "relocatable = true" in (clone.folder / ".venv/pyvenv.cfg").read_text()
    found = subprocess.run(
        [clone.folder / ".venv/bin/python", "-c", "import sys; print(ascii(sys.path[-1]))"],
        env={"LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert ast.literal_eval(found) == str(clone.folder / "src")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a:b", "has a colon in its name"),
        ("a\nb", r"a\nb' has a control character in its name"),
        ("a\udcff", "is not UTF-8"),
    ],
)
def test_unsupported_folder_names_are_refused(clone, name, message):
    clone.folder = clone.folder.rename(clone.folder.with_name(name))
    clone.refuses(message)
    assert not (clone.folder / ".venv").exists()


@pytest.fixture
def as_any_user() -> tuple[str, ...]:
    """Return a command prefix that drops root's right to ignore file permissions.

    It is empty for other users.
    """
    if os.geteuid() != 0:
        return ()
    if not (setpriv := shutil.which("setpriv")):
        pytest.skip("setpriv is not on PATH")
    rights = "-dac_override,-dac_read_search"
    return (setpriv, f"--bounding-set={rights}", f"--inh-caps={rights}")


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        (".", "not writable; change its owner, or clone the project to a folder of your own"),
        (".cache", ".cache is not writable"),
        (".cache/uv", ".cache/uv is not writable"),
        (".venv", ".venv is not writable"),
        (".venv/lib", ".venv cannot be removed"),
        ("results/mathis", "results/mathis is not writable"),
        ("figures", "figures is not writable"),
    ],
)
def test_unwritable_folder_is_reported(clone, as_any_user, folder, message):
    unwritable = clone.folder / folder
    (unwritable / "below").mkdir(parents=True, exist_ok=True)
    unwritable.chmod(0o555)
    run = clone.run(before=as_any_user)
    unwritable.chmod(0o755)
    assert run.returncode == 2
    assert message in run.stderr.splitlines()[-1]
    assert "ermission denied" not in run.stderr
    assert not clone.calls()


def test_a_file_instead_of_a_folder_is_reported(clone):
    (clone.folder / ".cache").write_text("a file where a folder should be")
    clone.refuses("not writable")


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("-f 0", "the disk or your quota is full"),
        ("-n 64", "may open only 64 files here, and a run needs 256: ulimit -n 1024"),
    ],
)
def test_a_full_disk_and_too_few_open_files_are_reported(clone, limit, message):
    limited = (shutil.which("sh"), "-c", f'ulimit {limit} && exec "$@"', "sh")
    clone.refuses(message, before=limited)


@pytest.mark.parametrize("folder", ["/nonexistent", "/proc"])
def test_an_unusable_temporary_folder_is_replaced(clone, folder):
    clone.tool("uv", UV.replace("$*", "$TMPDIR"))
    clone.run(TMPDIR=folder)
    used = clone.calls()[0].removeprefix("uv ")
    assert used != folder
    assert Path(used).is_dir()


def test_a_temporary_folder_without_room_is_replaced(clone, tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    clone.tool("uv", UV.replace("$*", "$TMPDIR"))
    clone.tool(
        "df", f'[ "$2" = {full} ] && free=144 || free=99999\necho Capacity\necho "a 1 1 $free"'
    )
    run = clone.run(TMPDIR=str(full))
    assert clone.calls()[0] == "uv /tmp"
    (line,) = [line for line in run.stderr.splitlines() if str(full) in line]
    assert "TMPDIR" in line


def test_reproduce_is_executable():
    assert os.access(ROOT / "reproduce", os.X_OK)


@pytest.mark.xdist_group("kept")
def test_tests_of_a_group_run_on_one_worker(request: pytest.FixtureRequest) -> None:
    """The tests of an xdist group run on one worker.

    In this case pytest-xdist appends `@` and the group to the test's name.
    """
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("tests are not handed out by their groups")
    assert request.node.nodeid.endswith("@kept")


# ---- a clone made with core.autocrlf=true, as Git for Windows sets it


def test_a_clone_has_the_same_bytes_for_any_line_end_setting(tmp_path: Path) -> None:
    files = [
        *SCRIPTS,
        "Snakefile",
        "config/config.yaml",
        "data/census/linux.parquet",
        "data/second_reader.csv",
        "paper/matrix.png",
    ]
    original, clone = tmp_path / "original", tmp_path / "clone"
    for file in (".gitattributes", *files):
        (original / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, original / file)
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", str(original)]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "All"]):
        subprocess.run([*git, *command], check=True)
    subprocess.run(["git", "clone", "-q", "-c", "core.autocrlf=true", original, clone], check=True)
    assert [f for f in files if (clone / f).read_bytes() != (ROOT / f).read_bytes()] == []


# ---- ./reproduce: surroundings that must not reach the set-up


def test_a_rule_of_the_users_own_is_passed_on(clone):
    """Snakemake refuses names that no rule has: only it knows the rules that the settings add."""
    assert clone.run("mine", "--config", "configuration=my_wifi/config.yaml").returncode == 3
    assert " mine --config configuration=my_wifi/config.yaml " in clone.calls()[-1]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--coers", "--coers is no option of snakemake; did you mean --cores?"),
        ("--scheduler=bogus", "argument --scheduler: invalid choice: 'bogus'"),
        ("--cores=x", "must be integer or 'all'"),
    ],
)
def test_an_unknown_option_is_refused_in_two_lines(clone, option, message):
    """Snakemake itself would print 110 lines of usage."""
    run = clone.run(option)
    assert run.returncode == 3  # Python without Snakemake: nothing is refused
    shutil.copy(ROOT / "workflow/scripts/check_options.py", clone.folder / "workflow/scripts")
    (site,) = clone.folder.glob(".venv/lib/python3*/site-packages")
    packages = Path(yaml.__file__).parents[1]
    clone.tool("which", "#!/bin/sh\nexit 1\n")  # Snakemake's plugin for Slurm calls it
    (site / "all.pth").write_text(f"{packages}\n{ROOT / 'src'}\n", encoding="utf-8")
    run = clone.run(option)
    assert run.returncode == 2
    assert message in run.stderr
    assert len(run.stderr.splitlines()) <= 3
    assert clone.run("-n", "--cores", "1").returncode == 3


def test_more_jobs_than_the_memory_holds_are_named(clone):
    run = clone.run("--cores", "100000")
    assert re.search(r"reproduce: \d+ MB of memory hold \d+ jobs", run.stderr)
    assert run.returncode == 3
    assert "memory" not in clone.run("--cores", "1").stderr


def test_setup_refuses_options(clone):
    clone.refuses("setup takes no arguments", "setup", "--no-instal")


FOREIGN = {
    "PIP_USER": "1",
    "PIP_TARGET": "/nonexistent",
    "SNAKEMAKE_PROFILE": "/nonexistent",
    "PYTHONOPTIMIZE": "2",
    "MATPLOTLIBRC": "/nonexistent",
    "POSIXLY_CORRECT": "1",
    "CDPATH": "/",
    "BASH_ENV": "/dev/null",
    "SHELLOPTS": "noclobber:nounset",
    "BASH_FUNC_cd%%": "() { echo elsewhere; }",
    "NEVER_HEARD_OF": "x",
}


def test_foreign_variables_reach_no_program(clone):
    clone.tool("uv", UV.replace("#!/bin/sh\n", "#!/bin/sh\nenv >>seen\n", 1))
    run = clone.run(**FOREIGN, http_proxy="http://a:1", UV_INDEX_OWN_PASSWORD="p q'\"$x")
    assert run.returncode == 3
    seen = (clone.folder / "seen").read_text()
    assert not [name for name in FOREIGN if f"{name}=" in seen]
    assert "http_proxy=http://a:1\n" in seen
    assert "UV_INDEX_OWN_PASSWORD=p q'\"$x\n" in seen


def test_a_posix_shell_or_a_link_starts_the_same(clone):
    shell = shutil.which("dash") or shutil.which("sh")
    (clone.bin / "link").symlink_to(clone.folder / "reproduce")
    for started in (clone.folder / "reproduce", clone.bin / "link"):
        run = subprocess.run(
            [shell, str(started)], env={"PATH": str(clone.bin)}, capture_output=True, text=True
        )
        assert run.returncode == 3, run.stderr
        assert f"in {clone.folder} at" in clone.calls()[-1]


def test_standard_modules_are_not_taken_from_the_folder(clone):
    for name in ("types", "numbers", "random", "venv", "fcntl"):
        (clone.folder / f"{name}.py").write_text("raise SystemExit('the wrong module')\n")
    run = clone.run()
    assert run.returncode == 3, run.stderr
