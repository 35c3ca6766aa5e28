"""Models from outside the project: Python files that the user names, and installed packages.

The Python files are the only part of the configuration that runs code.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
import re
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, partial
from importlib.metadata import EntryPoint
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, refused
from tcpgoodput.configuration.problems import alternatives, collecting, nearest
from tcpgoodput.models.base import REDUCIBLE, Model
from tcpgoodput.models.registry import MODELS, REGISTERS, NameTaken, NoModel, load, register
from tcpgoodput.scenario.physics import IMPAIRMENTS

LOG = logging.getLogger(__name__)
"""Log of the files of code that the settings name, each before it is run."""

KEY = "models"
"""Key of the settings file that lists the user's Python files with models. Their paths are relative
to the folder of the settings file."""


def add_listed(files: Sequence[str], document: Document, changes: Collection[str]) -> None:
    """Register the models of the files that the settings list, or raise a `ConfigurationError`.

    Paths are relative to the folder of the settings. `changes` are the keys of the settings that
    the command line overrides.
    """
    problems: list[Problem] = []
    for position, file in enumerate(files):
        line = 0 if KEY in changes else document.line((KEY, position))
        place = "--config" if KEY in changes else document.file
        refusal = partial(refused, place, f"{KEY}[{position}]", line=line)
        path = Path(document.file).parent / file
        if (
            path.suffix == ".py"
            and path.is_file()
            and _module_name(path.resolve()) not in sys.modules
        ):
            LOG.info("running %s, a file of models that %s names", path, place)
        with collecting(problems):
            add_file(path, refusal)
    if problems:
        raise ConfigurationError(problems)


def add_own(settings: Path, files: Sequence[Path]) -> None:
    """Register the models of the files that the settings list, and those of `--models`.

    Other keys of the settings are not checked, and the settings need not exist.
    """
    # Look for the key with a search, because parsing the YAML takes longer than a prediction.
    if settings.is_file() and re.search(rb"^models\s*:", settings.read_bytes(), re.MULTILINE):
        document = read(settings)
        listed = document.data.get(KEY, []) if isinstance(document.data, dict) else []
        if not isinstance(listed, list) or not all(isinstance(file, str) for file in listed):
            message = "must be a list of Python files"
            raise refused(settings, KEY, message, document.line((KEY,)))
        add_listed(listed, document, ())
    for file in files:
        add_file(file, partial(refused, "--models", ""))


Refusal = Callable[[str], ConfigurationError]
"""Function that makes an error from a message, and adds where the user named the file."""


def add_file(path: Path, refusal: Refusal) -> None:
    """Run a Python file, so that it registers its models; a file is run only once."""
    load()  # load first, so that a file cannot reuse the name of an existing model
    shown, path = str(path), path.resolve()
    name = _module_name(path)
    if name in sys.modules:
        return
    if path.is_dir():
        raise refusal(f"{shown} is a folder: name a Python file (.py)")
    if not path.is_file():
        known = sorted(file.name for file in path.parent.glob("*.py"))
        raise refusal(f"no file {shown}{nearest(path.name, known)}")
    if path.suffix != ".py":
        raise refusal(f"{shown} is no Python file (.py)")
    spec = spec_from_file_location(name, path)
    assert spec is not None  # spec_from_file_location returns None only for other file types
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        # Compile the file here: Python's loader would write bytecode into the user's folder.
        exec(compile(path.read_bytes(), path, "exec"), module.__dict__)
        _check(name, shown)
    except BaseException as error:
        _forget(name)
        if isinstance(error, Exception | SystemExit):
            raise _refusal(error, shown, str(path)) from None
        raise


def add_entry_points(found: Iterable[EntryPoint]) -> None:
    """Import entry points of installed packages: modules that register models, or model classes."""
    for entry in sorted(found, key=lambda entry: (entry.name, entry.value)):
        package = entry.dist.name if entry.dist else "?"
        place = f"entry point {entry.name} = {entry.value} of the package {package}"
        try:
            thing = entry.load()
            if not isinstance(thing, ModuleType) and thing not in map(type, MODELS.values()):
                register(thing)
            _check(_package(entry.module), place)
        except (Exception, SystemExit) as error:
            _forget(_package(entry.module))
            raise _refusal(error, place) from None


def _package(module: str) -> str:
    return module.partition(".")[0]


@cache
def _module_name(path: Path) -> str:
    """Return a unique module name for a file, made from its name and a hash of its path.

    The path is relative to the working directory if the file is in it. So the name stays the same
    if the project is moved, and stored results remain valid. If the working directory changes, the
    name stays, too, so that the file is not run again.
    """
    digest = hashlib.sha256(str(_from_here(path)).encode()).hexdigest()[:12]
    return f"{re.sub(r'[^a-z0-9]+', '_', path.stem.lower())}_{digest}"


def _from_here(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _check(package: str, place: str) -> None:
    """Check what a package registers; `place` names the package in messages."""
    if not any(known.of_package(package) for known in REGISTERS):
        message = "registers nothing: a model is a class below @tcpgoodput.models.register"
        raise refused(place, "", message)
    own = MODELS.of_package(package)
    kinds_of = {"handles": IMPAIRMENTS, "reduces": REDUCIBLE}
    for model in map(MODELS.__getitem__, own):
        for attribute, kinds in kinds_of.items():
            for kind in sorted(getattr(model, attribute) - kinds):
                message = f"{model.name} {attribute} {kind!r}{alternatives(kind, sorted(kinds))}"
                raise refused(place, "", message, place_of(model)[1])


def place_of(model: Model, attribute: str = "") -> tuple[str, int]:
    """Return the file and line at which a model's class, or an attribute in the class, begins.

    The line is that of the class if it does not contain the attribute. A class without a source
    file gives its module's name and 0.
    """
    kind = type(model)
    try:
        lines, first = inspect.getsourcelines(kind)
        path = Path(inspect.getfile(kind))
    except (OSError, TypeError):  # the class has no source file
        return kind.__module__, 0
    within = next((i for i, text in enumerate(lines) if text.split()[:1] == [attribute]), 0)
    return str(_from_here(path)), first + within


def _refusal(error: BaseException, place: str, file: str = "") -> ConfigurationError:
    """Return the error that reports an exception in a user's file, with the line in that file."""
    if isinstance(error, ConfigurationError):
        return error
    if isinstance(error, SyntaxError) and error.filename == file:
        return refused(place, "", f"is no Python: {error.msg}", error.lineno or 0)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno or 0 for frame in frames if frame.filename == file]
    text = (str(error).splitlines() or ["no message"])[0]
    clear = isinstance(error, NameTaken | NoModel)
    message = text if clear else f"fails when it is loaded: {type(error).__name__}: {text}"
    return refused(place, "", message, lines[-1] if lines else 0)


def _forget(package: str) -> None:
    """Remove the modules of a file that failed, and everything that these modules registered."""
    for name in [name for name in sys.modules if _package(name) == package]:
        del sys.modules[name]
    for known in REGISTERS:
        known.forget(package)
