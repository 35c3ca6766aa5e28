"""Profiles of the kernel's TCP: named sets of kernel settings."""

from __future__ import annotations

Settings = dict[str, int | str]
"""Kernel settings: names of files in /proc/sys/net/ipv4, and their contents."""

_REORDERING_IGNORED = {
    "tcp_recovery": 0,
    "tcp_max_reordering": 3,
    "tcp_frto": 0,
    "tcp_early_retrans": 0,
}

PROFILES: dict[str, Settings] = {
    # Nearest to RFC 3782: three duplicate ACKs, no tail loss probe, no undo of window reductions.
    "newreno": {"tcp_sack": 0, "tcp_dsack": 0, "tcp_timestamps": 0, **_REORDERING_IGNORED},
    # With timestamps, a sender undoes the window reduction if a packet was late but not lost.
    "newreno-timestamps": {
        "tcp_sack": 0,
        "tcp_dsack": 0,
        "tcp_timestamps": 1,
        **_REORDERING_IGNORED,
    },
    # SACK without tail loss probes and F-RTO. Kernels from 6.17 on, as in all records, use RACK.
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

STACK_PROFILES = {"newreno": "modern-no-sack", "sack": "modern", "cubic": "modern"}
"""Profiles by TCP variant, for scenarios that name a kernel's sender (`tcp.stack`)."""

DEFAULT_PROFILES = {"newreno": "newreno", "sack": "sack-no-probes", "cubic": "modern"}
"""Profiles by TCP variant, for scenarios without `tcp.stack`. The kernel has no other variants."""

TIMESTAMP_BYTES = 12


def congestion_control(variant: str) -> str:
    """Return the kernel's name of a variant's congestion control."""
    return "cubic" if variant == "cubic" else "reno"


def option_bytes(profile: str) -> int:
    """Return the size of the TCP options in each data packet, in bytes."""
    return TIMESTAMP_BYTES if PROFILES[profile]["tcp_timestamps"] else 0
