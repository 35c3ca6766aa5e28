"""Scenarios for tests: a plain connection (NewReno, 1 Gbit/s, RTT 100 ms) with changes."""

from __future__ import annotations

from typing import Any

from tcpgoodput.scenario import Scenario

PLAIN: dict[str, Any] = {
    "id": "plain",
    "title": "A plain connection",
    "tcp": {"variant": "newreno", "mss_bytes": 1000},
    "path": {"rate_bps": 1e9, "forward_delay_s": 0.05, "backward_delay_s": 0.05},
}


def scenario(**parts: Any) -> Scenario:
    """Return the plain scenario with parts replaced; `tcp` and `path` are changed key by key."""
    data = {**PLAIN, **parts}
    for part in ("tcp", "path"):
        data[part] = {**PLAIN[part], **parts.get(part, {})}
    return Scenario.model_validate(data)
