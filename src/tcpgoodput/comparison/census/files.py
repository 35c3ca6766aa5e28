"""Read and check files that define random samples, and whether connections can be drawn.

A file that is `like` another one in its folder has only the keys that differ. The other keys are
added before the file is checked, so that nothing else needs to know `like`. The rules are:

- `scenario` is merged key by key. In `draw`, `set`, `impairments` and `precision`, an entry
  replaces the copied one of the same name in its place, and a new entry comes after the copied
  ones. The order of the quantities in `draw` decides which coordinate of a point each has.
- The value null removes a copied entry. Any other key of the file replaces the copied one.
- `title` and `paired_with` are not copied.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tcpgoodput.comparison.census.design import KNOWN, SOBOL_BITS, Impossible, Missed, Space
from tcpgoodput.comparison.census.schema import Census, Choice, Impairment, Law
from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, validated
from tcpgoodput.configuration.problems import alternatives, collecting, nearest
from tcpgoodput.configuration.strict_yaml import NAMES, SUFFIX, Key, misnamed
from tcpgoodput.models import MODELS
from tcpgoodput.scenario.content import PATH_OF_TCP, scenario_keys

TRIED = 256
"""Number of uniformly random points on which a census is checked. The points of its own design are
not used, because the library for them takes half a second to load."""

DESCRIBED = "connections"
"""Name of the random sample whose findings the report states."""

RESERVED_KEYS = ("id", "title")
"""Keys of a scenario that the program sets; a census file must not set these keys."""


def load_censuses(folder: Path) -> dict[str, Space]:
    """Read all random samples (censuses) of a folder, by the file's name without its ending."""
    if not folder.is_dir():
        raise ConfigurationError([Problem(str(folder), 0, "", "no such folder of censuses")])
    problems = list(misnamed(folder))
    found: dict[str, Space] = {}
    tried: dict[str, Space | None] = {}
    for path in sorted(folder.glob(NAMES)):
        tried[path.stem] = None
        with collecting(problems):
            found[path.stem] = tried[path.stem] = _loaded(path)
    for name, space in found.items():
        problems += _unpaired(folder / f"{name}{SUFFIX}", space, tried)
    if problems:
        raise ConfigurationError(problems)
    return found


def described(censuses: Mapping[str, Space]) -> str | None:
    """Return the name of the random sample that the report describes, or None if there is none.

    It is the sample `DESCRIBED`, or else the first one that is not paired with another one.
    """
    unpaired = (name for name, space in censuses.items() if not space.census.paired_with)
    return DESCRIBED if DESCRIBED in censuses else next(unpaired, None)


def load_census(path: Path) -> Space:
    """Read and check a census, and the other census of its folder with which it is paired."""
    space = _loaded(path)
    name = space.census.paired_with
    found: dict[str, Space | None] = {
        other.stem: _loaded(other) if other.stem == name else None
        for other in path.parent.glob(NAMES)
        if other != path
    }
    if problems := list(_unpaired(path, space, found)):
        raise ConfigurationError(problems)
    return space


def _unpaired(path: Path, space: Space, censuses: Mapping[str, Space | None]) -> Iterator[Problem]:
    """Yield problems with the census named under `paired_with`: it must exist, with equal paths."""
    name = space.census.paired_with
    if name is None:
        return
    others = [other for other in censuses if other != space.name]
    message = None
    if name not in others:
        message = f"no other census is called {name!r}{alternatives(name, others)}"
    elif (other := censuses[name]) and (differing := _differing(space.census, other.census)):
        message = f"has other connections than {name}: {differing}"
    if message:
        yield read(path).problem(("paired_with",), message)


def _differing(one: Census, other: Census) -> str | None:
    """Return the first difference between two censuses apart from their senders, or None."""
    ours, theirs = _path_of(one), _path_of(other)
    for key in ours | theirs:
        if ours.get(key) != theirs.get(key):
            return f"{key} is {ours.get(key)}, not {theirs.get(key)}"
    if list(one.draw) != list(other.draw):
        return "its quantities stand in another order, which decides the coordinates of each"
    return None


def _path_of(census: Census) -> dict[str, Any]:
    """Return all settings that determine the points of a census and their paths, by key.

    For a randomly drawn key of the sender, only the key's name is included: each drawn key uses one
    coordinate of the points. Constant keys of the sender are left out.
    """
    settings = census.model_dump(
        include={"design", "seed", "unimpaired", "pairs", "conditions", "impairments"}
    )
    # In a Latin hypercube, another number of points changes all points.
    if census.design == "latin-hypercube":
        settings["points"] = census.points
    for name, law in census.draw.items():
        settings[f"draw.{name}"] = None if all(map(_is_senders, _keys_of(name, law))) else law
    flat = dict(_flat(census.scenario, ""))
    settings |= {f"scenario.{key}": value for key, value in flat.items() if not _is_senders(key)}
    settings |= {f"set.{key}": value for key, value in census.set.items() if not _is_senders(key)}
    return settings


def _keys_of(name: str, law: Law) -> list[str]:
    """Return the scenario keys that a drawn quantity sets; by default the key is its name."""
    return law.keys if isinstance(law, Choice) and law.keys else [name]


def _is_senders(key: str) -> bool:
    """Whether a key of a scenario describes the sender only."""
    part, _, name = key.partition(".")
    return part == "tcp" and name not in PATH_OF_TCP


def _flat(content: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in content.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _loaded(path: Path) -> Space:
    document = in_full(read(path))
    space = Space(path.stem, validated(Census, document))
    for wrong in (_wrong_names, _wrong_size, _undrawable):
        if problems := list(wrong(document, space)):
            raise ConfigurationError(problems)
    return space


def _wrong_names(document: Document, space: Space) -> Iterator[Problem]:
    """Yield problems with names: quantities that are drawn twice, unknown keys and models."""
    census = space.census
    if not census.draw and not census.impairments:
        yield document.problem(
            ("draw",), "no quantity is drawn; name one, such as path.rate_bps, under draw"
        )
    places: dict[Key, Census | Impairment] = {(): census}
    places |= {("impairments", name): part for name, part in census.impairments.items()}
    seen: set[str] = set()
    for place, part in places.items():
        keys: list[tuple[Key, str]] = []
        for name, law in part.draw.items():
            at: Key = (*place, "draw", name)
            if name in seen:
                yield document.problem(at, "is drawn twice; give it another name")
            elif name in KNOWN:
                yield document.problem(at, "is a name that conditions use; give it another name")
            seen.add(name)
            keys += [(at, key) for key in _keys_of(name, law) if "." in key or key != name]
        keys += [((*place, "set", key), key) for key in part.set]
        for at, key in keys:
            known = scenario_keys()
            if key in RESERVED_KEYS or key not in known:
                yield document.problem(at, f"is no key to set{nearest(key, sorted(known))}")
    if census.models == []:
        message = "is an empty list; leave the key out to evaluate all models"
        yield document.problem(("models",), message)
    models, known_models = census.models or [], MODELS.names()
    for position, model in enumerate(models):
        at = ("models", position)
        if model in models[:position]:
            yield document.problem(at, f"{model} is listed twice; remove one of the two")
        if model not in known_models:
            message = f"no model is called {model!r}{alternatives(model, known_models)}"
            yield document.problem(at, message)


def _wrong_size(document: Document, space: Space) -> Iterator[Problem]:
    """Yield a problem if the design has more points than there are different connections."""
    points, most = space.census.points, 2**SOBOL_BITS
    if space.census.design == "sobol" and points > most:
        yield document.problem(("points",), f"a Sobol sequence has at most {most} points")
    elif points > space.size:
        size = f"{points} points of a space of {space.size:g} connections"
        yield document.problem(("points",), f"{size}: at most so many differ")


def _undrawable(document: Document, space: Space) -> Iterator[Problem]:
    """Yield a problem if a random point gives no valid scenario, or all violate a condition."""
    missed: Counter[str] = Counter()
    for number, row in enumerate(np.random.default_rng(0).random((TRIED, space.dimensions))):
        try:
            space.connection(number, row.tolist())
        except Missed as condition:
            missed[str(condition)] += 1
        except ValueError as error:  # `Impossible`, or an expression has no value at this point
            place = "" if isinstance(error, Impossible) else f"point {number}: "
            yield document.problem((), f"{place}{error}")
            return
    if missed.total() == TRIED:
        often = missed.most_common(1)[0][0]
        at = ("conditions", space.census.conditions.index(often))
        hint = "widen the condition or what is drawn"
        yield document.problem(at, f"{often!r}: none of {TRIED} points meets it; {hint}")


LIKE = "like"

OWN = ("title", "paired_with", LIKE)
"""Keys of a file that are not copied, because they are about this file only."""

BY_ENTRY = ("draw", "set", "impairments", "precision")
"""Keys of mappings whose entries are replaced, not merged."""


def in_full(document: Document, before: tuple[str, ...] = ()) -> Document:
    """Return the file of a random sample with all keys that it copies.

    The line of a copied value is that of the key `like`. If the copied file is invalid, the error
    names the copied file. `before` are the files that copy this one.
    """
    if not isinstance(document.data, dict) or document.data.get(LIKE) is None:
        return document
    name, path = document.data[LIKE], Path(document.file)
    others = [one.stem for one in sorted(path.parent.glob(NAMES)) if one.stem != path.stem]
    names = (*before, path.stem)
    wrong = None
    if name in names:
        circle = [*names[names.index(name) :], name]
        wrong = f"is a copy of itself: {' is like '.join(circle)}"
    elif name not in others:
        wrong = f"no other census is called {name!r}{alternatives(str(name), others)}"
    if wrong:
        raise ConfigurationError([document.problem((LIKE,), wrong)])
    copied = in_full(read(path.with_name(f"{name}{SUFFIX}")), names)
    validated(Census, copied)
    own = {key: value for key, value in document.data.items() if key != LIKE}
    base = {key: value for key, value in copied.data.items() if key not in OWN}
    whole = replace(document, data=_changed(base, own), lines=dict(document.lines))
    for key in {"scenario", *BY_ENTRY} & base.keys() & own.keys():
        if isinstance(base[key], dict) and isinstance(own[key], dict):
            change = _changed if key in BY_ENTRY else _changed_deeply
            whole.data[key] = change(base[key], own[key])
    for key in _keys(whole.data, ()):
        whole.lines.setdefault(key, document.line((LIKE,)))
    return whole


def _changed(copied: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return copied entries with those of the copy; its null removes a copied entry."""
    whole = {**copied, **own}
    return {name: v for name, v in whole.items() if v is not None or name not in copied}


def _changed_deeply(copied: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return copied entries with those of the copy, as `_changed`, also in nested mappings."""
    nested = {
        name: _changed_deeply(copied[name], value)
        for name, value in own.items()
        if isinstance(value, dict) and isinstance(copied.get(name), dict)
    }
    return _changed(copied, {**own, **nested})


def _keys(data: Any, at: Key) -> Iterator[Key]:
    """Yield the key of each value in nested mappings and lists."""
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    for name, value in entries:
        yield (*at, name)
        if isinstance(value, dict | list):
            yield from _keys(value, (*at, name))
