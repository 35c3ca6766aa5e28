"""Senders of kernels: the values that `tcp.stack` gives to keys that a scenario does not set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Stack(NamedTuple):
    """The settings of a kernel as keys of the scenario vocabulary."""

    always: Mapping[str, Any]
    """Keys of `tcp` that are set for every variant."""
    with_sack: Mapping[str, Any]
    """Further keys of `tcp` that are set for the variants `sack` and `cubic`."""
    with_cubic: Mapping[str, Any]
    """Further keys of `tcp` that are set for the variant `cubic`."""
    with_delayed_acks: Mapping[str, Any]
    """Further keys of `tcp` that are set if the receiver acknowledges every second packet."""
    rto: Mapping[str, Any]
    """Keys of `tcp.rto` that are set for every variant."""


STACKS = {
    # Linux 6.18 with its own defaults; comments name the variable or function in net/ipv4.
    "linux-6.18": Stack(
        always={
            "initial_window_packets": 10,  # Linux: TCP_INIT_CWND
            "growth": "packets",
            "ca_increment": "whole",  # Linux: tcp_cong_avoid_ai
            "window_validation": True,  # Linux: tcp_is_cwnd_limited
            "ssthresh_from": "window",  # Linux: tcp_reno_ssthresh
            "reduction": "proportional",  # Linux: tcp_cwnd_reduction
            "f_rto": True,  # Linux: tcp_frto 2
            "max_dupthresh": 300,  # Linux: tcp_max_reordering
            "timestamps": True,  # Linux: tcp_timestamps 1
        },
        with_sack={
            "loss_detection": "rack",  # the only method with SACK since Linux 6.17
            "tail_loss_probe": True,  # Linux: tcp_early_retrans 3
            "dsack": True,  # Linux: tcp_dsack 1
        },
        with_cubic={"slow_start": "hystart"},  # Linux: hystart 1 of tcp_cubic
        with_delayed_acks={"delayed_ack": "adaptive"},  # Linux: tcp_event_data_recv
        rto={
            "min_s": 0.2,  # Linux: TCP_RTO_MIN
            "initial_s": 1.0,  # Linux: TCP_TIMEOUT_INIT
            "max_s": 120.0,  # Linux: TCP_RTO_MAX
            "tick_s": 0.004,  # Linux: CONFIG_HZ 250
            "floor": "variation",  # Linux: tcp_rtt_estimator
        },
    )
}

SACK_VARIANTS = ("sack", "cubic")


def settings(name: str, variant: str, ack_every: int) -> dict[str, Any]:
    """Return the keys of `tcp` that a stack sets, except `rto`."""
    stack = STACKS[name]
    keys = dict(stack.always)
    if variant in SACK_VARIANTS:
        keys |= stack.with_sack
    if variant == "cubic":
        keys |= stack.with_cubic
    if ack_every == 2:
        keys |= stack.with_delayed_acks
    return keys
