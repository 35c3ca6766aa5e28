"""How the kernel's TCP is set up: a few settings, each with what it stands for."""

from __future__ import annotations

Settings = dict[str, int | str]
"""Names below /proc/sys/net/ipv4 and their values."""

_REORDERING_IGNORED = {
    "tcp_recovery": 0,
    "tcp_max_reordering": 3,
    "tcp_frto": 0,
    "tcp_early_retrans": 0,
}

PROFILES: dict[str, Settings] = {
    # As near to RFC 3782 as the kernel gets: three duplicate ACKs, whatever was reordered before,
    # no way to tell a retransmission from its original, no probe of the tail.
    "newreno": {"tcp_sack": 0, "tcp_dsack": 0, "tcp_timestamps": 0, **_REORDERING_IGNORED},
    # With timestamps a sender sees that a packet was late, not lost, and takes its halving back.
    "newreno-timestamps": {
        "tcp_sack": 0,
        "tcp_dsack": 0,
        "tcp_timestamps": 1,
        **_REORDERING_IGNORED,
    },
    # Selective acknowledgements without the probe of the tail and without F-RTO. `tcp_recovery` 0
    # is without time-based detection (RACK) before Linux 6.17 only; since then, and so wherever
    # this was recorded, SACK always comes with RACK. It stands for no older kernel.
    "sack-no-probes": {
        "tcp_sack": 1,
        "tcp_dsack": 1,
        "tcp_timestamps": 1,
        "tcp_recovery": 0,
        "tcp_max_reordering": 127,
        "tcp_frto": 0,
        "tcp_early_retrans": 0,
    },
    # Nothing but the kernel's own defaults, named so that the host's settings play no part.
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
"""The same kernel where nothing tells it that a repair was not needed."""

PROFILES["modern-no-sack"] = PROFILES["modern"] | {"tcp_sack": 0, "tcp_dsack": 0}
"""The same kernel where the receiver has no selective acknowledgements."""

STACK_PROFILES = {"newreno": "modern-no-sack", "sack": "modern", "cubic": "modern"}
"""By the variant of a scenario whose sender is a kernel's (`tcp.stack`)."""

DEFAULT_PROFILES = {"newreno": "newreno", "sack": "sack-no-probes", "cubic": "modern"}
"""By the scenario's variant. No other one exists in the kernel."""

TIMESTAMP_BYTES = 12


def congestion_control(variant: str) -> str:
    """Return the kernel's name of what governs a variant's window."""
    return "cubic" if variant == "cubic" else "reno"


def option_bytes(profile: str) -> int:
    """Return the size of the TCP options that each packet of data carries."""
    return TIMESTAMP_BYTES if PROFILES[profile]["tcp_timestamps"] else 0
