"""Elements (nodes and links) of a block diagram of a scenario's path."""

from __future__ import annotations

from typing import Any

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.distributions import Constant, Uniform
from tcpgoodput.scenario.vocabulary import Trace

ELEMENT_COLUMNS = ["kind", "name", "column", "row", "source", "target", "label"]
"""Columns of an element (node or link) of a block diagram. A node is at the grid position
(`column`, `row`); a link leads from the node `source` to the node `target`."""

VARIANTS = {"oldtahoe": "OldTahoe", "newreno": "NewReno"}
VARIANTS |= {name: name.upper() for name in ("sack", "cubic", "bbr")}


def elements(scenario: Scenario, capacity_as: str, bottleneck: str) -> list[dict[str, Any]]:
    """Return the nodes and links of a scenario's path, labelled with its values.

    Keys are those of `ELEMENT_COLUMNS`; `kind` is node, queue, traffic, link, ack or old-path.
    """
    path, tcp = scenario.path, scenario.tcp
    rows: list[dict[str, Any]] = []

    def node(kind: str, name: str, column: float, row: float, label: str) -> None:
        rows.append({"kind": kind, "name": name, "column": column, "row": row, "label": label})

    def link(kind: str, source: str, target: str, label: str) -> None:
        name = f"{source} to {target}"
        rows.append(
            {"kind": kind, "name": name, "source": source, "target": target, "label": label}
        )

    variant = VARIANTS.get(tcp.variant, tcp.variant.capitalize())
    node("node", "sender", 0, 0, f"sender\nTCP {variant}")
    node("queue", "bottleneck", 1.4, 0, f"{bottleneck}\n{_buffer(scenario)}")
    node("node", "receiver", 3.4, 0, "receiver")
    losses = [scenario.loss.label] if scenario.loss.label else []
    before = losses if scenario.loss.place == "before" else []
    after = losses if scenario.loss.place == "after" else []
    link("link", "sender", "bottleneck", "\n".join([_seconds(path.forward_delay_s), *before]))
    beside = [_capacity(scenario) if capacity_as == "link" else _rate(path.rate_bps)]
    if (arq := scenario.arq) and arq.repeats:
        beside.append(f"{100 * arq.error_share:.3g} % of frames fail, {arq.attempts} attempts")
    beside += [*_spikes(scenario), *after]
    link("link", "bottleneck", "receiver", "\n".join(beside))
    link("ack", "receiver", "sender", f"ACKs, {_seconds(path.backward_delay_s)}")
    if capacity_as == "cross-traffic":
        node("traffic", "cross traffic", 1.4, 1, "constant bit rate,\nserved first")
        link("link", "cross traffic", "bottleneck", f"leaves {_capacity(scenario)}")
    if scenario.handoffs is not None:
        h = scenario.handoffs
        number = f"next {h.packets} packet{'s' if h.packets > 1 else ''}"
        fate = "lost" if h.fate == "lost" else f"late by {_seconds(h.late_s or 0)}"
        label = f"old channel: {number} {fate}\nhand-off every {_seconds(h.interval_s)}"
        link("old-path", "bottleneck", "receiver", label)
    return rows


def _buffer(scenario: Scenario) -> str:
    buffer = scenario.path.buffer_packets
    return "no buffer limit" if buffer is None else f"buffer of {buffer} packets"


def _capacity(scenario: Scenario) -> str:
    capacity = scenario.capacity
    if capacity is None:
        return _rate(scenario.path.rate_bps)
    if isinstance(capacity, Trace):
        return "capacity C(t) from a trace"
    low = getattr(capacity, "min_bps", None)
    begin = "up" if low is None else _rate(low)
    return f"capacity C(t)\n{begin} to {_rate(capacity.max_bps)}"


def _spikes(scenario: Scenario) -> list[str]:
    if scenario.spikes is None:
        return []
    duration = scenario.spikes.duration
    if isinstance(duration, Uniform):
        length = f"{duration.low_s:g} to {duration.high_s:g} s"
    elif isinstance(duration, Constant):
        length = f"{duration.mean_s:g} s"
    else:
        length = f"{duration.mean_s:g} s in the mean"
    return [f"stands still for {length}"]


def _seconds(duration_s: float) -> str:
    return f"{duration_s:g} s" if duration_s >= 1 else f"{1e3 * duration_s:g} ms"


def _rate(rate_bps: float) -> str:
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if rate_bps >= size:
            return f"{rate_bps / size:g} {unit}"
    return f"{rate_bps:g} bit/s"
