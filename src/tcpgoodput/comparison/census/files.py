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
from tcpgoodput.comparison.census.schema import Census, Choice, Law
from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, validated
from tcpgoodput.configuration.problems import alternatives, collecting, nearest
from tcpgoodput.configuration.strict_yaml import SUFFIX, Key, misnamed
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
    for path in sorted(folder.glob(f"*{SUFFIX}")):
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
        for other in path.parent.glob(f"*{SUFFIX}")
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
    if name not in others:
        message = f"no other census is called {name!r}{alternatives(name, others)}"
        yield read(path).problem(("paired_with",), message)
        return
    other = censuses[name]
    if other is None:
        return
    if differing := _differing(space, other):
        yield read(path).problem(
            ("paired_with",), f"has other connections than {name}: {differing}"
        )


def _differing(one: Space, other: Space) -> str | None:
    """Return the first difference between two censuses apart from their senders, or None."""
    ours, theirs = _path_of(one.census), _path_of(other.census)
    for key in ours | theirs:
        if ours.get(key) != theirs.get(key):
            return f"{key} is {ours.get(key)}, not {theirs.get(key)}"
    if list(one.census.draw) != list(other.census.draw):
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
    if problems := [*_wrong_names(document, space), *_wrong_models(document, space.census)]:
        raise ConfigurationError(problems)
    if problem := _too_large(document, space):
        raise ConfigurationError([problem])
    if problems := list(_undrawable(document, space)):
        raise ConfigurationError(problems)
    return space


def _wrong_names(document: Document, space: Space) -> Iterator[Problem]:
    """Yield a problem for each quantity that is drawn twice, and for each unknown key."""
    census = space.census
    if not census.draw and not census.impairments:
        yield document.problem(
            ("draw",), "no quantity is drawn; name one, such as path.rate_bps, under draw"
        )
    places: list[tuple[Key, Key, dict[str, Law], dict[str, object]]] = [
        (("draw",), ("set",), dict(census.draw), census.set)
    ]
    for name, part in census.impairments.items():
        at: Key = ("impairments", name)
        places.append(((*at, "draw"), (*at, "set"), dict(part.draw), part.set))
    seen: dict[str, Key] = {}
    for drawn_at, set_at, draw, changes in places:
        for name in draw:
            if name in seen:
                yield document.problem((*drawn_at, name), "is drawn twice; give it another name")
            elif name in KNOWN:
                yield document.problem(
                    (*drawn_at, name), "is a name that conditions use; give it another name"
                )
            seen[name] = (*drawn_at, name)
        keys = [
            ((*drawn_at, name), key)
            for name, law in draw.items()
            for key in _keys_of(name, law)
            if "." in key or key != name
        ]
        keys += [((*set_at, key), key) for key in changes]
        for at, key in keys:
            known = scenario_keys()
            if key in RESERVED_KEYS or key not in known:
                yield document.problem(at, f"is no key to set{nearest(key, sorted(known))}")


def _wrong_models(document: Document, census: Census) -> Iterator[Problem]:
    known = MODELS.names()
    if census.models == []:
        yield document.problem(
            ("models",), "is an empty list; leave the key out to evaluate all models"
        )
    for position, model in enumerate(census.models or ()):
        if model in (census.models or ())[:position]:
            yield document.problem(
                ("models", position), f"{model} is listed twice; remove one of the two"
            )
        if model not in known:
            message = f"no model is called {model!r}{alternatives(model, known)}"
            yield document.problem(("models", position), message)


def _too_large(document: Document, space: Space) -> Problem | None:
    """Return a problem if the design has more points than there are different connections."""
    census = space.census
    most = 2**SOBOL_BITS
    if census.design == "sobol" and census.points > most:
        return document.problem(("points",), f"a Sobol sequence has at most {most} points")
    if census.points > space.size:
        message = (
            f"{census.points} points of a space of {space.size:g} connections: at most so many "
            "differ"
        )
        return document.problem(("points",), message)
    return None


def _undrawable(document: Document, space: Space) -> Iterator[Problem]:
    """Yield a problem if a random point gives no valid scenario, or all violate a condition."""
    missed: Counter[str] = Counter()
    for number, row in enumerate(np.random.default_rng(0).random((TRIED, space.dimensions))):
        try:
            space.connection(number, row.tolist())
        except Missed as condition:
            missed[str(condition)] += 1
        except Impossible as error:
            yield document.problem((), str(error))
            return
        except ValueError as error:  # an expression of the census file has no value at this point
            yield document.problem((), f"point {number}: {error}")
            return
    if missed.total() == TRIED:
        often = missed.most_common(1)[0][0]
        position = space.census.conditions.index(often)
        message = (
            f"{often!r}: none of {TRIED} points meets it; widen the condition or what is drawn"
        )
        yield document.problem(("conditions", position), message)


LIKE = "like"

OWN = ("title", "paired_with", LIKE)
"""Keys of a file that are not copied, because they are about this file only."""

BY_ENTRY = ("draw", "set", "impairments", "precision")
"""Keys of mappings whose entries are replaced, not merged."""


def in_full(document: Document) -> Document:
    """Return the file of a random sample with all keys that it copies.

    The line of a copied value is that of the key `like`. If the copied file is invalid, the error
    names the copied file.
    """
    return _in_full(document, ())


def _in_full(document: Document, before: tuple[str, ...]) -> Document:
    """Return a file with all keys that it copies; `before` are the files that copy it."""
    if not isinstance(document.data, dict) or document.data.get(LIKE) is None:
        return document
    name, path = document.data[LIKE], Path(document.file)
    others = [one.stem for one in sorted(path.parent.glob(f"*{SUFFIX}")) if one.stem != path.stem]
    names = (*before, path.stem)
    wrong = None
    if name in names:
        circle = [*names[names.index(name) :], name]
        wrong = f"is a copy of itself: {' is like '.join(circle)}"
    elif name not in others:
        wrong = f"no other census is called {name!r}{alternatives(str(name), others)}"
    if wrong:
        raise ConfigurationError([document.problem((LIKE,), wrong)])
    copied = _in_full(read(path.with_name(f"{name}{SUFFIX}")), names)
    validated(Census, copied)
    own = {key: value for key, value in document.data.items() if key != LIKE}
    base = {key: value for key, value in copied.data.items() if key not in OWN}
    whole = replace(document, data=_merged(base, own), lines=dict(document.lines))
    for key in _keys(whole.data, ()):
        whole.lines.setdefault(key, document.line((LIKE,)))
    return whole


def _merged(copied: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a copied file with the changes of its copy."""
    whole = _changed(copied, own)
    for key in {"scenario", *BY_ENTRY} & copied.keys() & own.keys():
        if isinstance(copied[key], dict) and isinstance(own[key], dict):
            change = _changed if key in BY_ENTRY else _changed_deeply
            whole[key] = change(copied[key], own[key])
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
