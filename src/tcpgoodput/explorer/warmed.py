"""Imported by the process that answering ones are forked from: loads and compiles everything."""

from __future__ import annotations

from tcpgoodput.comparison.answers import said
from tcpgoodput.engines.packet import Packet
from tcpgoodput.explorer.answering import CONDITIONS, FIRST_LOOK
from tcpgoodput.explorer.window import window_of
from tcpgoodput.models import MODELS
from tcpgoodput.scenario import Scenario, override

PLAIN = Scenario.model_validate(
    {
        "id": "warm-up",
        "title": "Ten megabits, a drop-tail buffer",
        "tcp": {"variant": "sack", "mss_bytes": 1460},
        "path": {
            "rate_bps": 1e7,
            "forward_delay_s": 0.05,
            "backward_delay_s": 0.05,
            "buffer_packets": 40,
        },
        "loss": {"process": "bernoulli", "probability": 0.01},
    }
)

SHADOWED = override(
    PLAIN,
    {
        "loss": {"process": "none"},
        "capacity": {"process": "shadowing", "peak_bps": 1e7, "mean_bps": 6e6, "speed_mps": 10},
    },
)
"""What it draws its capacity with is loaded at the first use."""

for model in MODELS.values():
    model.compile()
Packet().compile()
for scenario in (PLAIN, SHADOWED):
    said(scenario, CONDITIONS)
    window_of(scenario, CONDITIONS.seed, Packet().measure(scenario, FIRST_LOOK).record())
