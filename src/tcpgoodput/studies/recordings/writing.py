"""Write recorded links as this project's files of capacities, delays and scenarios."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from tcpgoodput.scenario.capacity.trace import COLUMNS, DELAY_COLUMNS
from tcpgoodput.studies.recordings.recording import DELAY_STEP_S, Array, Recording
from tcpgoodput.studies.recordings.views import View

WIDTH = 100


def capacity_csv(edges: Array, rates: Array) -> Iterator[str]:
    """Yield the lines of a CSV file of capacities; the last line only marks the end of the trace.

    Args:
        edges: times in seconds from 0 on, shape (n + 1,).
        rates: rates in bit/s, from each time to the next, shape (n,).

    """
    yield ",".join(COLUMNS) + "\n"
    for time_s, rate_bps in zip(edges[:-1], rates, strict=True):
        yield f"{time_s:.10g},{rate_bps:.10g}\n"
    yield f"{edges[-1]:.10g},0\n"


def delay_csv(recording: Recording) -> Iterator[str]:
    """Yield the lines of a CSV file with a recording's one-way delays in seconds.

    The last line only marks the end of the trace.
    """
    delays = recording.delays_s
    assert delays is not None
    yield ",".join(DELAY_COLUMNS) + "\n"
    for number, delay_s in enumerate(delays):
        yield f"{DELAY_STEP_S * number:.10g},{delay_s:.10g}\n"
    yield f"{DELAY_STEP_S * delays.size:.10g},0\n"


def scenario_yaml(view: View, origin: str) -> str:
    """Return a scenario file as YAML, with comments about the derivation of each number.

    Args:
        view: the description of the link, with the derivations.
        origin: a sentence about the recording, for the comment at the top.

    """
    head = f"A recorded link as {view.whose} would describe it. {origin}"
    lines = [*_comment(head, ""), *_lines(view.content, "", view.derived)]
    return "\n".join(lines) + "\n"


def _lines(part: Mapping[str, Any], at: str, derived: Mapping[str, str]) -> Iterator[str]:
    indent = "  " * at.count(".")
    for name, value in part.items():
        key = at + name
        if key in derived:
            yield from _comment(derived[key], indent)
        if isinstance(value, Mapping):
            yield f"{indent}{name}:"
            yield from _lines(value, f"{key}.", derived)
        else:
            yield f"{indent}{name}: {json.dumps(value, ensure_ascii=False)}"


def _comment(text: str, indent: str) -> list[str]:
    start = f"{indent}# "
    return textwrap.wrap(
        text, WIDTH, initial_indent=start, subsequent_indent=start, break_on_hyphens=False
    )
