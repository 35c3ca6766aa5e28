"""What a sender does about packets that arrive late, behind newer ones: counted, not drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.ladder import ladder

if TYPE_CHECKING:
    import pandas as pd

FIRST_ROUND = 2.0
"""Round trips from the start until the ACKs of the first window, late ones too, are all back."""


def late_packets(
    scenarios: dict[str, Scenario],
    *,
    window: int,
    hits: list[int],
    late_rtts: list[float],
    rounds: float = 6.0,
) -> pd.DataFrame:
    """Count what senders send when the first packets of a full window are late (see `ladder`).

    Columns: `variant`, `recovery`, `late_packets` and `late_rtt` (how many, and by how many round
    trips), `new_packets` and `resent_packets` of the first round trip after them,
    `resent_in_all_packets`, `most_duplicates_later` (the most duplicate ACKs in a row after those
    that began the recovery).
    """
    import pandas as pd

    rows = []
    for scenario in scenarios.values():
        for hit in hits:
            for late_rtt in late_rtts:
                options = {"window": window, "hit": hit, "late_rtt": late_rtt}
                first = ladder(scenario, rounds=FIRST_ROUND, **options)  # type: ignore[arg-type]
                told = ladder(scenario, rounds=rounds, **options)  # type: ignore[arg-type]
                acks = told[told["direction"] == "ack"].sort_values("arrives_rtt", kind="stable")
                newest = int(first.loc[first["direction"] == "data", "packet"].max())
                rows.append(
                    {
                        "variant": scenario.tcp.variant,
                        "recovery": scenario.tcp.recovery,
                        "late_packets": hit,
                        "late_rtt": late_rtt,
                        "new_packets": newest + 1 - window,
                        "resent_packets": _resent(first),
                        "resent_in_all_packets": _resent(told),
                        "most_duplicates_later": max(_in_a_row(acks["kind"])[1:], default=0),
                    }
                )
    return pd.DataFrame(rows)


def _resent(told: pd.DataFrame) -> int:
    return int((told["kind"] == "retransmission").sum())


def _in_a_row(kinds: Iterable[str]) -> list[int]:
    """Return the lengths of the runs of duplicate ACKs."""
    runs, length = [], 0
    for kind in [*kinds, ""]:
        if kind == "duplicate":
            length += 1
        elif length:
            runs.append(length)
            length = 0
    return runs
