"""Scenarios that together use all features of the Tcl scripts written for ns-2."""

from __future__ import annotations

from tcpgoodput.engines.planning import Plan
from tests.scenarios import scenario

PLAN = Plan(replications=1, warm_up_s=2.0, phase_s=1.0, measured_s=5.0)

SPIKES = {
    "interval": {"distribution": "uniform", "low_s": 1, "high_s": 3},
    "duration": {"distribution": "exponential", "mean_s": 0.5},
}
SINUSOID = {"process": "sinusoid", "min_bps": 2e4, "max_bps": 1e5, "frequency_hz": 0.5}
CHAIN = {"process": "gilbert-elliott", "good_to_bad": 0.05, "bad_to_good": 0.5}


SCENARIOS = {
    "spikes": scenario(
        tcp={"variant": "sack", "max_window_packets": 5, "header_bytes": 40},
        path={"rate_bps": 1e5, "buffer_packets": 10},
        loss={"process": "bernoulli", "probability": 0.02, "place": "before"},
        spikes=SPIKES,
    ),
    "handoffs": scenario(
        tcp={
            "recovery": "slow-but-steady",
            "partial_window_deflation": "ssthresh",
            "limited_transmit": False,
            "rto": {"fixed_s": 0.5, "max_s": 4},
        },
        path={"rate_bps": 1e5},
        loss={**CHAIN, "clock": "packet"},
        handoffs={"interval_s": 2, "packets": 3, "fate": "late", "late_s": 0.2}
        | {"delay_steps_s": [0.02, 0.1]},
    ),
    "cross_traffic": scenario(
        tcp={"variant": "newreno"}, path={"rate_bps": 1e5, "buffer_packets": 10}, capacity=SINUSOID
    ),
    "capacity": scenario(
        tcp={"variant": "tahoe", "ack_every": 2, "transfer_packets": 12},
        path={"rate_bps": 1e5},
        loss={**CHAIN, "clock": "slot"},
        capacity=SINUSOID,
    ),
}

CAPACITY_AS = {"cross_traffic": "cross-traffic"}
"""What varies the capacity of a scenario in ns-2, by its name; the others vary the link's rate."""
