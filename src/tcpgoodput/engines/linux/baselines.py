"""Connections of known goodput, which are measured to check the machine."""

from __future__ import annotations

from dataclasses import dataclass

from tcpgoodput.scenario import Scenario

TOLERANCE = 0.03


@dataclass(frozen=True)
class Baseline:
    """A connection, and the goodput in packets per second that it must reach."""

    scenario: Scenario
    expected_pps: float

    def fault(self, measured_pps: float) -> str | None:
        """Return a message if a measured goodput differs from the expected one, else None."""
        if abs(measured_pps / self.expected_pps - 1) <= TOLERANCE:
            return None
        return (
            f"{self.scenario.title.lower()}: {measured_pps:.0f} packets/s instead of "
            f"{self.expected_pps:.0f}"
        )


def baselines() -> list[Baseline]:
    """Return a connection whose goodput its window limits, and one that the path's rate limits."""
    rate_bps, rtt_s, mss_bytes = 18.64e6, 0.1, 1448
    rate_pps = rate_bps / 8 / mss_bytes

    def connection(name: str, title: str, window: int) -> Scenario:
        tcp = {"variant": "newreno", "mss_bytes": mss_bytes, "max_window_packets": window}
        path = {"rate_bps": rate_bps, "forward_delay_s": 0.05, "backward_delay_s": 0.05}
        return Scenario.model_validate({"id": name, "title": title, "tcp": tcp, "path": path})

    window = 44
    return [
        Baseline(
            connection("window-limited", "A window of 44 packets alone", window),
            window / (rtt_s + 1 / rate_pps),
        ),
        Baseline(connection("rate-limited", "A rate of 18.64 Mbit/s alone", 300), rate_pps),
    ]
