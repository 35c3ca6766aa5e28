"""Small censuses (random samples of connections) for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tcpgoodput.comparison.census.design import Space
from tcpgoodput.comparison.census.schema import Census

SMALL: dict[str, Any] = {
    "title": "A few",
    "points": 64,
    "scenario": {
        "tcp": {"variant": "newreno", "mss_bytes": 1000, "max_window_packets": 50},
        "path": {"rate_bps": 1e7, "forward_delay_s": 0.05, "backward_delay_s": 0.05},
    },
    "draw": {"rtt": {"law": "log-uniform", "low": 0.01, "high": 1.0}},
    "set": {"path.forward_delay_s": "= rtt / 2", "path.backward_delay_s": "= rtt / 2"},
    "unimpaired": 0.2,
    "pairs": 0.3,
    "impairments": {
        "loss": {
            "draw": {"p": {"law": "uniform", "low": 0.001, "high": 0.1}},
            "set": {"loss": {"process": "bernoulli", "probability": "= p"}},
        },
        "bursts": {
            "draw": {"burst": {"law": "uniform", "low": 2.0, "high": 5.0}},
            "set": {
                "loss": {
                    "process": "gilbert-elliott",
                    "bad_to_good": "= 1 / burst",
                    "good_to_bad": 0.001,
                }
            },
        },
        "handoffs": {
            "draw": {"every": {"law": "uniform", "low": 3.0, "high": 9.0}},
            "set": {"handoffs": {"fate": "lost", "interval_s": "= every", "packets": 1}},
        },
    },
}


def space(**changes: Any) -> Space:
    """Return the small census with some keys replaced."""
    return Space("small", Census.model_validate({**SMALL, **changes}))


def written(folder: Path, **changes: Any) -> Path:
    """Write the small census with some keys replaced to a file, and return its path."""
    path = folder / "small.yaml"
    path.write_text(yaml.safe_dump({**SMALL, **changes}, sort_keys=False), encoding="utf-8")
    return path
