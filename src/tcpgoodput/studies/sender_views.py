"""Curves and tables of the simulator's senders for figures."""

from __future__ import annotations

from tcpgoodput.models.registry import TABLES, Curve, curve
from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator import ack_trace, ladder, late_packets
from tcpgoodput.simulator import trajectory as paths

SOURCE = "simulator"

STORIES = (
    ack_trace.ack_trace,
    ack_trace.recovery_rounds,
    ladder.ladder,
    late_packets.late_packets,
)
for story in STORIES:
    TABLES.add(f"{SOURCE}.{story.__name__}", story, __name__)


@curve(SOURCE)
def trajectory(
    scenario: Scenario,
    *,
    quantity: str,
    start_s: float,
    stop_s: float,
    points: int = 2000,
    seed: int = 1,
) -> Curve:
    """Return a quantity of a simulated connection over time; see `simulator.trajectory`.

    Landmarks: `start` and `stop` in seconds; `largest` and `last`, the quantity's largest and last
    value in packets.
    """
    times_s, packets = paths.trajectory(
        scenario, quantity=quantity, start_s=start_s, stop_s=stop_s, points=points, seed=seed
    )
    shown = {"largest": float(packets.max()), "last": float(packets[-1])}
    return Curve(times_s, packets, "s", "packets", {"start": start_s, "stop": stop_s} | shown)
