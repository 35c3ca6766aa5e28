"""Conversion of a scenario to the emulator's input: settings of the kernel and of the path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tcpgoodput.engines.linux.path import path_lists
from tcpgoodput.engines.planning import Plan
from tcpgoodput.scenario import Scenario

Settings = dict[str, int | str]
"""Kernel settings: names of files in /proc/sys/net/ipv4, and their contents."""

_NEWRENO: Settings = {
    "tcp_sack": 0,
    "tcp_dsack": 0,
    "tcp_timestamps": 0,
    "tcp_recovery": 0,
    "tcp_max_reordering": 3,
    "tcp_frto": 0,
    "tcp_early_retrans": 0,
}

PROFILES: dict[str, Settings] = {
    # As close to RFC 3782 as possible: three duplicate ACKs, no tail loss probe, no undo.
    "newreno": _NEWRENO,
    # With timestamps, a sender undoes the window reduction if a packet was late but not lost.
    "newreno-timestamps": _NEWRENO | {"tcp_timestamps": 1},
    # SACK without tail loss probes and F-RTO. RACK detects losses although tcp_recovery is 0,
    # because the kernels of all recorded measurements are 6.17 or later, which always use RACK.
    "sack-no-probes": {
        "tcp_sack": 1,
        "tcp_dsack": 1,
        "tcp_timestamps": 1,
        "tcp_recovery": 0,
        "tcp_max_reordering": 127,
        "tcp_frto": 0,
        "tcp_early_retrans": 0,
    },
    # The kernel's own defaults, stated explicitly so that settings of the host have no effect.
    "modern": {
        "tcp_sack": 1,
        "tcp_dsack": 1,
        "tcp_timestamps": 1,
        "tcp_recovery": 1,
        "tcp_max_reordering": 300,
        "tcp_frto": 2,
        "tcp_early_retrans": 3,
    },
}

PROFILES["modern-no-undo"] = PROFILES["modern"] | {
    "tcp_dsack": 0,
    "tcp_timestamps": 0,
    "tcp_frto": 0,
}
"""The profile `modern` without any means to detect unnecessary retransmissions."""

PROFILES["modern-no-sack"] = PROFILES["modern"] | {"tcp_sack": 0, "tcp_dsack": 0}
"""The profile `modern` without selective acknowledgements."""

DEFAULT_PROFILES = {
    "newreno": "newreno",
    "sack": "sack-no-probes",
    "cubic": "modern",
    "bbr": "modern",
}
"""Profiles by TCP variant, for scenarios without `tcp.stack`. A scenario's other variants
(old Tahoe, Tahoe and Reno) do not exist in the kernel."""

STACK_PROFILES = DEFAULT_PROFILES | {"newreno": "modern-no-sack", "sack": "modern"}
"""Profiles by TCP variant, for scenarios that name a kernel's sender (`tcp.stack`)."""

TIMESTAMP_BYTES = 12


def congestion_control(variant: str) -> str:
    """Return the kernel's name of a variant's congestion control."""
    return variant if variant in ("cubic", "bbr") else "reno"


def option_bytes(profile: str) -> int:
    """Return the size of the TCP options in each data packet, in bytes."""
    return TIMESTAMP_BYTES if PROFILES[profile]["tcp_timestamps"] else 0


SYSTEM = Path("/proc/sys/net/ipv4")
SMALLEST_MSS = 48
LARGEST_MSS = 9000
"""Largest MSS in bytes that the kernel and its devices support."""

FIRST_BUFFER = 2**17
"""Receive buffer in bytes with which a connection starts if ACKs are delayed (the second number of
tcp_rmem); it is the kernel's default."""

LEAST_BUFFER = 2**20
MOST_BUFFER = 2**26
"""Largest send buffer in bytes, and largest receive buffer if the receiver's window is unlimited.
The larger of the receive buffer and the host's rmem_max determines TCP's window scale."""

KERNEL_TIMEOUT_S = (0.2, 120.0)
"""Smallest RTO in seconds of kernels in which it cannot be set, and largest RTO of any kernel."""


def kernel_refusal(scenario: Scenario, profile: str) -> str | None:
    """Return why the kernel cannot run a scenario with a profile of settings; None if it can."""
    return next(_refusals(scenario, profile), None)


def _refusals(scenario: Scenario, profile: str) -> Iterator[str]:
    tcp, has_sack = scenario.tcp, bool(PROFILES[profile]["tcp_sack"])
    if tcp.variant not in DEFAULT_PROFILES:
        known = ", ".join(DEFAULT_PROFILES)
        yield f"the kernel has no sender {tcp.variant}; it has {known}"
    if tcp.variant in ("newreno", "sack") and has_sack != (tcp.variant == "sack"):
        switched = "on" if has_sack else "off"
        yield (
            f"the profile {profile} has selective acknowledgements {switched}, unlike {tcp.variant}"
        )
    if tcp.variant == "bbr" and not has_sack:
        yield f"the profile {profile} has no selective acknowledgements, which bbr here has"
    if tcp.variant == "newreno" and tcp.full_ack_window == "flight":
        yield "the kernel ends a recovery by its own rule: full_ack_window must be ssthresh"
    if tcp.rto.fixed_s is not None:
        yield "the kernel computes its timeout: rto.fixed_s must be null"
    if not tcp.limited_transmit:
        yield (
            "the kernel always uses limited transmit (RFC 3042): tcp.limited_transmit must be true"
        )
    if tcp.ca_increment == "floor":
        yield (
            "the kernel's window grows by one packet per window of ACKs: ca_increment must not be "
            "floor"
        )
    if tcp.ack_every > 2:
        yield (
            "the kernel's receiver acknowledges every packet or every second one: ack_every is 1 "
            "or 2"
        )
    if not SMALLEST_MSS <= tcp.mss_bytes <= LARGEST_MSS:
        yield (
            f"the kernel's packets carry {SMALLEST_MSS} to {LARGEST_MSS} bytes, not {tcp.mss_bytes}"
        )
    smallest_s, largest_s = KERNEL_TIMEOUT_S
    if tcp.rto.min_s != smallest_s and not (SYSTEM / "tcp_rto_min_us").exists():
        yield f"this kernel's smallest timeout is {smallest_s} s, rto.min_s is {tcp.rto.min_s:g} s"
    if not 1 <= tcp.rto.max_s <= largest_s:
        yield (
            f"the kernel's largest timeout must be from 1 to {largest_s:g} s, rto.max_s is "
            f"{tcp.rto.max_s:g} s"
        )


def instructions(
    scenario: Scenario,
    profile: str,
    stream: np.random.Generator,
    plan: Plan,
    *,
    phases: bool = True,
) -> str:
    """Return the emulator's input as text, with a key and its values in each line.

    Args:
        scenario: the scenario to run.
        profile: the name of a profile in `PROFILES`.
        stream: the source of all random numbers; the emulator draws none.
        plan: the durations of warm-up and measurement.
        phases: whether a periodic capacity and a delay start at a random phase.

    """
    tcp, path = scenario.tcp, scenario.path
    lines: list[tuple[str, Sequence[float]]] = [
        ("mss_bytes", [tcp.mss_bytes]),
        ("header_bytes", [tcp.header_bytes]),
        ("option_bytes", [option_bytes(profile)]),
        ("forward_s", [path.forward_delay_s]),
        ("backward_s", [path.backward_delay_s]),
        ("buffer_packets", [path.buffer_packets or 0]),
        ("window_bytes", [(tcp.max_window_packets or 0) * tcp.mss_bytes]),
        ("initial_window_packets", [tcp.initial_window_packets]),
        ("quick_ack", [int(tcp.ack_every == 1)]),
        ("warm_up_s", [plan.warm_up_s]),
        ("measured_s", [plan.measured_s]),
        ("transfer_bytes", [(tcp.transfer_packets or 0) * tcp.mss_bytes]),
    ]
    connected_s = 2 * scenario.propagation_rtt_s
    horizon_s = connected_s + plan.warm_up_s + plan.measured_s
    lines += path_lists(scenario, stream, horizon_s, phases=phases)
    text = [f"congestion {congestion_control(tcp.variant)}"]
    text += [f"sysctl ipv4/{name} {value}" for name, value in settings(scenario, profile).items()]
    text += [" ".join([key, *(f"{value:.12g}" for value in values)]) for key, values in lines]
    return "\n".join([*text, "end"]) + "\n"


def settings(scenario: Scenario, profile: str) -> dict[str, int | str]:
    """Return the kernel's settings for a scenario, which apply only in its network namespaces."""
    tcp = scenario.tcp
    window = (tcp.max_window_packets or 0) * tcp.mss_bytes
    buffer = max(LEAST_BUFFER, 4 * window) if window else MOST_BUFFER
    # With a large initial buffer, receivers would acknowledge every packet for a long time at the
    # start, although ACKs are delayed (tcp_grow_window).
    grows = tcp.ack_every > 1
    first_buffer = FIRST_BUFFER if grows else buffer
    every = {
        "tcp_no_metrics_save": 1,
        "tcp_ecn": 0,
        "tcp_slow_start_after_idle": 0,
        "tcp_moderate_rcvbuf": int(grows),
        "tcp_reordering": tcp.dupthresh,
        "tcp_rmem": f"4096 {first_buffer} {buffer}",
        "tcp_wmem": f"4096 {LEAST_BUFFER} {MOST_BUFFER}",
    }
    timeouts = {
        "tcp_rto_min_us": round(1e6 * tcp.rto.min_s),
        "tcp_rto_max_ms": round(1e3 * tcp.rto.max_s),
    }
    known = {name: value for name, value in timeouts.items() if (SYSTEM / name).exists()}
    return {**every, **PROFILES[profile], **known}
