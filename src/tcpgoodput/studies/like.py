"""Figures and panels that are changed copies of others in the same file (`like`).

Such a figure or panel has only the keys that differ. This module adds the other keys before the
file is checked, so that nothing else needs to know `like`. The rules are:

- Mappings are merged key by key. The value null removes a key, and any other value replaces the
  copied one.
- Lists of series are merged by id. A new id adds a series at the end; `without` leaves series out.
- In `set` and `with`, a value always replaces the copied one, because null is a value there.
- The title, caption and numbers of a figure are not copied.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeAlias

from tcpgoodput.configuration import ConfigurationError, Document, Problem, refused
from tcpgoodput.configuration.problems import ENOUGH_PROBLEMS, alternatives
from tcpgoodput.configuration.strict_yaml import MAX_DEPTH, MAX_ENTRIES, Key

OWN = ("title", "caption", "numbers")
"""Keys of a figure that are not copied, because they are about this figure only."""

REPLACED = ("set", "with")
"""Keys of mappings whose values are replaced, not merged."""

Place: TypeAlias = tuple[str, ...]
"""A figure, `(figure,)`, or a panel, `(figure, panel)`."""


def in_full(document: Document) -> Document:
    """Return a file of figures with every `like` replaced by the keys that it copies.

    The line of a copied value is the line at which the file has the value.

    Raises:
        ConfigurationError: a figure or panel is like one that does not exist, or like itself, or
            the file has too many keys and values after copying.

    """
    figures = document.data.get("figures") if isinstance(document.data, dict) else None
    if not isinstance(figures, dict):
        return document
    copies = _Copies(document, figures)
    changed = {(name,) for name in figures if copies.is_copy(name)}
    if not changed:
        return document

    def others(record: dict[Key, Any]) -> dict[Key, Any]:
        return {k: v for k, v in record.items() if k[:1] != ("figures",) or k[1:2] not in changed}

    lines, problems = others(document.lines), others(document.problems)
    data = {**document.data, "figures": dict(figures)}
    whole = replace(document, data=data, lines=lines, problems=problems)
    for name in figures:
        if (name,) in changed:
            data["figures"][name] = _put(whole, ("figures", name), copies.figure(name))
    copies.refuse()
    return whole


def stated_once(problems: Iterable[Problem], document: Document) -> list[Problem]:
    """Return the problems without those of copies that repeat a problem of the copied value.

    The problems are those of the document that `in_full` returned; `document` is the file as it was
    read.
    """
    keys = {document.named(key) for key in document.lines}
    stated: dict[tuple[int, str, str], Problem] = {}
    own: list[Problem] = []
    for problem in sorted(problems, key=lambda p: (p.key not in keys, p)):
        what = (problem.line, problem.key.rpartition(".")[2], problem.message)
        if problem.key in keys or what not in stated:
            own.append(problem)
        stated[what] = problem
    return own


@dataclass(frozen=True)
class _Node:
    """A value with the line of its key; the entries of mappings and lists are nodes."""

    value: Any
    line: int
    problem: Problem | None = None

    @property
    def entries(self) -> dict[str, _Node]:
        """The entries of a mapping; empty for another value."""
        return self.value if isinstance(self.value, dict) else {}

    def without(self, *keys: str) -> _Node:
        """Return a mapping without some keys, or another value as it is."""
        if not isinstance(self.value, dict):
            return self
        return replace(self, value={k: node for k, node in self.value.items() if k not in keys})


_NOTHING = _Node({}, 0)


class _Copies:
    """The figures of a file, with the problems of their keys `like` and `without`."""

    def __init__(self, document: Document, figures: dict[str, Any]) -> None:
        self.document = document
        self.nodes = {name: _node(document, ("figures", name), figures[name]) for name in figures}
        self.problems: dict[Key, Problem] = {}
        self.names: dict[str, dict[str, None]] = {}
        # Refuse wrong copies of figures first: their panels would be wrong, too.
        for name in self.nodes:
            self._chain((name,))
        self.refuse()

    def refuse(self) -> None:
        """Raise an error if there are problems."""
        if self.problems:
            raise ConfigurationError(self.problems.values())

    def is_copy(self, figure: str) -> bool:
        """Return whether a figure or one of its panels is a changed copy."""
        panels = self._own_panels(figure).values()
        return "like" in self.nodes[figure].entries or any(
            panel.entries.keys() & {"like", "without"} for panel in panels
        )

    def figure(self, name: str) -> _Node:
        """Return a figure with all keys that the figure and its panels copy."""
        first, *others = [self.nodes[one].without("like") for (one,) in self._chain((name,))]
        whole = reduce(_merged, [*(n.without(*OWN) for n in reversed(others)), first])
        panels = whole.entries.get("panels", _NOTHING)
        if not panels.entries:
            return whole
        copied = {panel: self._panel(name, panel) for panel in self._panels(name)}
        return replace(whole, value={**whole.entries, "panels": replace(panels, value=copied)})

    def _own_panels(self, figure: str) -> dict[str, _Node]:
        return self.nodes[figure].entries.get("panels", _NOTHING).entries

    def _panels(self, figure: str) -> dict[str, None]:
        """Return the names of a figure's panels, including those that it copies."""
        if figure not in self.names:
            names: dict[str, None] = {}
            for (one,) in reversed(self._chain((figure,))):
                for name, panel in self._own_panels(one).items():
                    if name in names and _removes(panel):
                        del names[name]
                    else:
                        names[name] = None
            self.names[figure] = names
        return self.names[figure]

    def _panel(self, figure: str, panel: str) -> _Node:
        """Return a panel with all keys that it copies."""
        whole = _NOTHING
        for one, name in reversed(self._chain((figure, panel))):
            own = self._own_panels(one).get(name)
            if own is None:  # the figure copies the panel as it is
                continue
            at: Key = ("figures", one, "panels", name, "without")
            if (left_out := own.entries.get("without")) is not None:
                whole = self._reduced(whole, left_out, at)
            whole = _merged(whole, own.without("like", "without"))
        return whole

    def _reduced(self, whole: _Node, left_out: _Node, at: Key) -> _Node:
        """Return a copied panel without some of its series."""
        series = whole.entries.get("series", _NOTHING)
        if whole is _NOTHING:
            self._wrong(at, "needs `like`: it leaves out series of the copied panel")
        elif not isinstance(left_out.value, list):
            self._wrong(at, "must be a list: ids of the copied panel's series")
        elif isinstance(series.value, list):
            names = [str(node.value) for node in left_out.value]
            known = {str(_id(one)): one for one in series.value}
            for position, name in enumerate(names):
                if known.pop(name, None) is None:
                    hint = alternatives(name, known)
                    self._wrong((*at, position), f"the copied panel has no series {name!r}{hint}")
            series = replace(series, value=[one for one in series.value if str(_id(one)) in known])
            whole = replace(whole, value={**whole.entries, "series": series})
        return whole

    def _chain(self, place: Place) -> list[Place]:
        """Return a figure or panel, the one that it copies, the one that this copies, and so on."""
        chain = [place]
        while target := self._target(chain[-1]):
            if target in chain:
                self._wrong_circle(chain[chain.index(target) :])
                break
            if len(chain) == MAX_DEPTH:
                self._wrong(self._like(place), f"is a copy of a copy, more than {MAX_DEPTH} times")
                break
            chain.append(target)
        return chain

    def _like(self, place: Place) -> Key:
        """Return the key of a figure or panel with the name of the one that it copies."""
        figure, *panel = place
        return ("figures", figure, *(("panels", *panel) if panel else ()), "like")

    def _target(self, place: Place) -> Place | None:
        """Return the figure or panel that another one copies; None if there is none."""
        figure, *panel = place
        node = self._own_panels(figure).get(panel[0]) if panel else self.nodes[figure]
        like = node.entries.get("like") if node else None
        if like is None:
            base = self._target((figure,)) if panel else None
            return (*base, *panel) if base and panel[0] in self._panels(*base) else None
        if not isinstance(like.value, str):
            self._wrong(self._like(place), "must be text, the name of a figure or panel")
            return None
        names = like.value.split("/")
        if panel and len(names) == 1:
            names.insert(0, figure)
        if wrong := self._wrong_target(names, is_panel=bool(panel)):
            self._wrong(self._like(place), wrong)
            return None
        return tuple(names)

    def _wrong_target(self, names: list[str], *, is_panel: bool) -> str | None:
        """Return what is wrong with the name of a copied figure or panel; None if it exists."""
        if len(names) > 1 + is_panel:
            study, figure, *_ = names
            hint = alternatives(figure, list(self.nodes))
            kind = "a panel, FIGURE/PANEL," if is_panel else "a figure"
            return f"must be {kind} of this file, without the name of a study such as {study}{hint}"
        figure, *panel = names
        if figure not in self.nodes:
            return f"no figure {figure!r}{alternatives(figure, list(self.nodes))}"
        if panel and panel[0] not in (known := self._panels(figure)):
            hint = "; a panel of another figure is FIGURE/PANEL" if panel[0] in self.nodes else ""
            return f"{figure} has no panel {panel[0]!r}{alternatives(panel[0], known)}{hint}"
        return None

    def _wrong_circle(self, circle: list[Place]) -> None:
        """Report figures or panels that are copies of one another, at the first of them."""
        first = min(circle, key=lambda place: self.document.line(self._like(place)))
        start = circle.index(first)
        names = ["/".join(place) for place in (*circle[start:], *circle[:start], first)]
        self._wrong(self._like(first), f"is a copy of itself: {' is like '.join(names)}")

    def _wrong(self, at: Key, message: str) -> None:
        self.problems[at] = self.document.problem(at, message)
        if len(self.problems) == ENOUGH_PROBLEMS:
            self.refuse()


def _node(document: Document, key: Key, value: Any) -> _Node:
    """Return a value of a document as a node."""
    if isinstance(value, dict):
        value = {name: _node(document, (*key, name), entry) for name, entry in value.items()}
    elif isinstance(value, list):
        value = [_node(document, (*key, at), entry) for at, entry in enumerate(value)]
    return _Node(value, document.line(key), document.problems.get(key))


def _merged(base: _Node, own: _Node, *, key: str = "") -> _Node:
    """Return a copied value with the changes of its copy; `key` is the key of both."""
    if isinstance(base.value, list) and isinstance(own.value, list) and key == "series":
        return replace(own, value=_merged_series(base.value, own.value))
    if not isinstance(base.value, dict) or not isinstance(own.value, dict):
        return own
    if key in REPLACED:
        return replace(own, value=base.value | own.value)
    entries = dict(base.value)
    for name, node in own.value.items():
        if name not in entries:
            entries[name] = node
        elif _removes(node):
            del entries[name]
        else:
            entries[name] = _merged(entries[name], node, key=name)
    return replace(own, value=entries)


def _merged_series(base: list[_Node], own: list[_Node]) -> list[_Node]:
    """Return copied series with the changes of their copies, and the new series after them."""
    whole = list(base)
    places = {_id(node): place for place, node in enumerate(base)}
    for node in own:
        name = _id(node)
        place = places.pop(name, None) if name else None
        if place is None:
            whole.append(node)
        else:
            whole[place] = _merged(whole[place], node)
    return whole


def _id(series: _Node) -> str | None:
    """Return the id of a series, by default the name of its model, engine or curve."""
    keys = ("id", "model", "engine", "curve")
    name = next((series.entries[key].value for key in keys if key in series.entries), None)
    return name if isinstance(name, str) else None


def _removes(node: _Node) -> bool:
    return node.value is None and node.problem is None


def _put(document: Document, key: Key, node: _Node) -> Any:
    """Return the value of a node; record its lines and problems in a document."""
    document.lines[key] = node.line
    if len(document.lines) > MAX_ENTRIES:
        message = f"has more than {MAX_ENTRIES} keys and values, including those copied by `like`"
        raise refused(document.file, "", message, node.line)
    if node.problem:
        document.problems[key] = node.problem
    if isinstance(node.value, dict):
        return {name: _put(document, (*key, name), entry) for name, entry in node.value.items()}
    if isinstance(node.value, list):
        return [_put(document, (*key, at), entry) for at, entry in enumerate(node.value)]
    return node.value
