"""TCP senders of operating-system kernels, each called a stack.

The key `tcp.stack` names a stack, which gives values to the keys that a scenario does not set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Stack(NamedTuple):
    """TCP settings of a kernel's sender, as values of keys of the scenario vocabulary."""

    always: Mapping[str, Any]
    """Keys of `tcp` that are set for every variant."""
    with_sack: Mapping[str, Any]
    """Further keys of `tcp` that are set for the variants `sack`, `cubic` and `bbr`."""
    without_bbr: Mapping[str, Any]
    """Further keys of `tcp` that are set for all variants except `bbr`: rules of the window."""
    with_cubic: Mapping[str, Any]
    """Further keys of `tcp` that are set for the variant `cubic`."""
    with_delayed_acks: Mapping[str, Any]
    """Further keys of `tcp` that are set if the receiver acknowledges every second packet."""
    rto: Mapping[str, Any]
    """Keys of `tcp.rto` that are set for every variant."""


STACKS = {
    # Linux 6.18 with its defaults. Comments name the kernel's code or setting behind each value.
    "linux-6.18": Stack(
        always={
            "initial_window_packets": 10,  # Linux constant TCP_INIT_CWND
            "f_rto": True,  # Linux sysctl tcp_frto = 2
            "max_dupthresh": 300,  # Linux sysctl tcp_max_reordering = 300
            "timestamps": True,  # Linux sysctl tcp_timestamps = 1
        },
        without_bbr={
            "growth": "packets",
            "ca_increment": "whole",  # Linux function tcp_cong_avoid_ai
            "window_validation": True,  # Linux function tcp_is_cwnd_limited
            "ssthresh_from": "window",  # Linux function tcp_reno_ssthresh
            "reduction": "proportional",  # Linux function tcp_cwnd_reduction
        },
        with_sack={
            "loss_detection": "rack",  # with SACK, Linux has used only RACK since 6.17
            "tail_loss_probe": True,  # Linux sysctl tcp_early_retrans = 3
            "dsack": True,  # Linux sysctl tcp_dsack = 1
        },
        with_cubic={"slow_start": "hystart"},  # Linux module parameter hystart = 1
        with_delayed_acks={"delayed_ack": "adaptive"},  # Linux function tcp_event_data_recv
        rto={
            "min_s": 0.2,  # Linux constant TCP_RTO_MIN
            "initial_s": 1.0,  # Linux constant TCP_TIMEOUT_INIT
            "max_s": 120.0,  # Linux constant TCP_RTO_MAX
            "tick_s": 0.004,  # Linux build option CONFIG_HZ = 250
            "floor": "variation",  # Linux function tcp_rtt_estimator
        },
    )
}

SACK_VARIANTS = ("sack", "cubic", "bbr")


def settings(name: str, variant: str, ack_every: int) -> dict[str, Any]:
    """Return the values of keys of `tcp`, except `rto`, that a stack (a kernel's sender) sets.

    Args:
        name: name of the stack, such as `linux-6.18`.
        variant: TCP variant of the sender.
        ack_every: number of packets per ACK.

    """
    stack = STACKS[name]
    keys = dict(stack.always)
    if variant != "bbr":
        keys |= stack.without_bbr
    if variant in SACK_VARIANTS:
        keys |= stack.with_sack
    if variant == "cubic":
        keys |= stack.with_cubic
    if ack_every == 2:
        keys |= stack.with_delayed_acks
    return keys
