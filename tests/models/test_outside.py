"""Each fault in a file with a user's own model gives one message."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.models import MODELS
from tcpgoodput.models.outside import _forget, _module_name, add_file, add_own
from tcpgoodput.project.settings import load_configuration, load_settings
from tests import worked_example

ROOT = Path(__file__).parents[2]
SETTINGS = "sources: [mathis]\nprecision: draft\n"


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """Yield a file with the worked example's model, and unregister the model after the test."""
    path = tmp_path / "tfrc.py"
    path.write_text(worked_example.code(), encoding="utf-8")
    yield path
    _forget(_module_name(path))


def settings_naming(folder: Path, *files: str) -> Path:
    path = folder / "config.yaml"
    path.write_text(f"{SETTINGS}models: [{', '.join(files)}]\n", encoding="utf-8")
    return path


def complaint(settings: Path) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(settings, {})
    [problem] = caught.value.problems
    return str(problem)


def test_a_model_file_in_the_settings_is_loaded_once(file: Path) -> None:
    settings = settings_naming(file.parent, "tfrc.py", "../" + file.parent.name + "/tfrc.py")
    for _ in range(2):
        assert load_settings(settings, {}).models[0] == "tfrc.py"
    assert MODELS.names().count("tfrc") == 1
    assert MODELS.names()[-1] == "tfrc"


def test_a_model_file_is_run_once_whatever_the_current_folder_is(
    file: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (file.parent, tmp_path_factory.mktemp("elsewhere")):
        monkeypatch.chdir(folder)
        add_file(file, lambda message: AssertionError(message))  # type: ignore[arg-type,return-value]
    assert MODELS.names().count("tfrc") == 1


def test_model_files_are_loaded_before_figures_are_checked(file: Path) -> None:
    figures = file.parent / "figures"
    figures.mkdir()
    text = (ROOT / "config/test/figures/mathis.yaml").read_text(encoding="utf-8")
    (figures / "mathis.yaml").write_text(text.replace("model: pftk", "model: tfrc"))
    settings = settings_naming(file.parent, "tfrc.py")
    with settings.open("a", encoding="utf-8") as more:
        more.write(f"style: {ROOT / 'config/style.yaml'}\n")
    configuration = load_configuration(settings)
    assert configuration.style.model("tfrc").label == "TFRC equation"
    settings.write_text(settings.read_text(encoding="utf-8").replace("[tfrc.py]", "[]"))
    _forget(_module_name(file))
    with pytest.raises(ConfigurationError, match="no model is called 'tfrc'"):
        load_configuration(settings)


CHANGES = [
    ("@register", "1 / 0", "1 / 0", "fails when it is loaded: ZeroDivisionError: division by"),
    ("    name =", "    name", '    name "tfrc"', "is no Python: invalid syntax"),
    ('name = "tfrc"', 'name = "pftk"', "@register", "another model is called pftk"),
    ('name = "tfrc"', 'name = "TFRC-1"', "@register", "Tfrc is called 'TFRC-1': a name has lower"),
    ('    title = "TFRC equation"\n', "", "@register", "Tfrc does not state its title (every mod"),
    ('title = "TFRC equation"', "title = 7", "@register", "Tfrc must state its title as a line of"),
    ('frozenset({"independent loss"})', '{"loss"}', "@register", "must state what it handles as a"),
    (
        '"independent loss"})',
        '"independent los"})',
        "@register",
        "tfrc handles 'independent los'; did you mean independent loss?",
    ),
    (
        '"delay spikes"',
        '"a finite transfer"',
        "@register",
        "tfrc reduces 'a finite transfer' (allowed: bursty loss, delay spikes, hand-offs, ",
    ),
    (
        '"path.forward_delay_s"',
        '"path.forward_dely_s"',
        "@register",
        "'path.forward_dely_s', which is no key of a scenario; did you mean path.forward_delay_s?",
    ),
    ("def goodput_pps", "def goodput", "@register", "Tfrc does not define goodput_pps"),
    ("(Model)", "", "@register", "Tfrc is no model: it must be a class derived from tcpgoodput."),
    ("@register\n", "", "", "registers nothing"),
]


@pytest.mark.parametrize(("old", "new", "line", "message"), CHANGES)
def test_an_invalid_model_file_is_reported(
    file: Path, old: str, new: str, line: str, message: str
) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    changed = text.replace(old, new)
    file.write_text(changed, encoding="utf-8")
    before, modules = MODELS.names(), set(sys.modules)
    found = complaint(settings_naming(file.parent, "tfrc.py"))
    number = f":{changed.splitlines().index(line) + 1}" if line else ""
    assert found.startswith(f"{file}{number}: "), found
    assert message in found
    assert MODELS.names() == before
    assert set(sys.modules) == modules
    # After the fault is corrected, the file can be loaded in the same process.
    file.write_text(text, encoding="utf-8")
    add_file(file, lambda message: AssertionError(message))  # type: ignore[arg-type,return-value]
    assert "tfrc" in MODELS.names()


def test_a_missing_model_file_is_reported_with_its_place(file: Path) -> None:
    settings = settings_naming(file.parent, "tfrk.py")
    found = complaint(settings)
    assert found.startswith(f"{settings}:3: models[0]: no file ")
    assert "did you mean tfrc.py?" in found


def test_a_file_that_is_not_python_is_refused(file: Path) -> None:
    assert "is no Python file (.py)" in complaint(settings_naming(file.parent, "config.yaml"))


def test_a_missing_file_on_the_command_line_is_reported(file: Path) -> None:
    settings = settings_naming(file.parent, "tfrc.py")
    with pytest.raises(ConfigurationError, match=r"^--config: models\[0\]: no file "):
        load_configuration(settings, {"models": ["absent.py"]})
    with pytest.raises(ConfigurationError, match=r"^--models: no file absent.py$"):
        add_own(file.parent / "none.yaml", [Path("absent.py")])


def test_commands_read_only_the_key_models(file: Path) -> None:
    settings = file.parent / "config.yaml"
    settings.write_text("sauces: 7\nmodels: [tfrc.py]\n", encoding="utf-8")
    add_own(settings, [])
    assert "tfrc" in MODELS.names()
    settings.write_text("models: tfrc.py\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="1: models: must be a list of Python files"):
        add_own(settings, [])
