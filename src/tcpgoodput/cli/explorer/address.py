"""The state of a page in its address, and the scenario that it stands for.

`?scenario=ID&handoffs.late_s=0.5` is the scenario ID with a key changed, as
`tcpgoodput compare FILE --set handoffs.late_s=0.5` has it. What no key of a scenario is called is
the page's own: which key a sweep follows, say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tcpgoodput.cli.explorer.page import Preset
from tcpgoodput.configuration import Document, refused
from tcpgoodput.configuration.changes import with_changes
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.files import Asked, asked

SCENARIO = "scenario"

Pairs = Sequence[tuple[str, str]]
"""Names and values of an address, in its order."""

MOST_CHANGES, LONGEST_VALUE = 60, 2000
"""Keys that an address may change, and characters of a value."""


def asked_by(pairs: Pairs, presets: Mapping[str, Preset]) -> Asked:
    """Return the scenario that an address stands for.

    Raises:
        ConfigurationError: every problem found, each with the name that the address has for it.

    """
    names = dict(pairs)
    name = names.get(SCENARIO, "")
    if name not in presets:
        hint = nearest(name, list(presets))
        raise refused(SCENARIO, "", f"no scenario is called {name!r}{hint}")
    changes = [f"{key}={value}" for key, value in pairs if is_key(key)]
    if len(changes) > MOST_CHANGES or any(len(change) > LONGEST_VALUE for change in changes):
        limits = f"{MOST_CHANGES} changes of {LONGEST_VALUE} characters"
        raise refused("address", "", f"is too long: at most {limits}")
    document = presets[name].document
    _keep_the_files(with_changes(document, changes), document)
    return asked(document, changes)


def is_key(name: str) -> bool:
    """Tell whether a name in an address is a key of a scenario."""
    return name.partition(".")[0] in Scenario.model_fields


def own(pairs: Pairs, known: Mapping[str, str]) -> dict[str, str]:
    """Return what an address says of the page itself.

    Args:
        pairs: of the address.
        known: the page's names with what they are unless the address says otherwise.

    Raises:
        ConfigurationError: a name that is neither known nor a key of a scenario.

    """
    found = {name: value for name, value in pairs if not is_key(name) and name != SCENARIO}
    for name in found:
        if name not in known:
            raise refused(name, "", f"is no key{nearest(name, [*known])} ({choices(known)})")
    return {**known, **found}


def _keep_the_files(changed: Document, document: Document) -> None:
    """Refuse a change that would have another file read than those which the scenario names."""
    for part in ("capacity", "delay"):
        file = _file_of(part, changed.data)
        if file is not None and file != _file_of(part, document.data):
            raise refused(
                f"{part}.file", "", "the page reads no other file than the scenario's own"
            )


def _file_of(name: str, data: Any) -> Any:
    part = data.get(name) if isinstance(data, dict) else None
    return part.get("file") if isinstance(part, dict) else None
