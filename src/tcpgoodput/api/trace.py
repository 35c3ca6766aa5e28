"""One connection told event by event: what happened to its window, and what it sent."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.simulator.channel.state import LOST
from tcpgoodput.simulator.clock import LONGEST_S, TICKS_PER_S
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.simulator.trace import ACK, DELAYED_ACK, SILENT_ARRIVAL, START, TIMEOUT

MOST_EVENTS = 100_000
"""Of a connection, that are told."""

FIRST_LOOK_S = 1.0
"""After which it is looked for the first time how many there were."""

NAMES = {
    START: "start",
    ACK: "ack",
    SILENT_ARRIVAL: "arrival",
    DELAYED_ACK: "delayed ack",
    TIMEOUT: "timeout",
}


def traced(
    scenario: Scenario, seed: int, until_s: float, most_events: int = MOST_EVENTS
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the window and the events of a connection from its first packet on.

    What is periodic begins with it, as in figures of sample paths; a finite transfer is told to its
    end.
    """
    if scenario.tcp.transfer_packets:
        until_s = LONGEST_S
    stream = random_stream(scenario, seed, 0)
    simulation = Simulation(scenario, stream, phases=False, traced_events=most_events)
    at_s = min(FIRST_LOOK_S, until_s)
    while simulation.run(at_s) and at_s < until_s and simulation.events()[0].size < most_events:
        at_s = min(2 * at_s, until_s)
    told, sent = simulation.events()
    return _window(told, scenario.tcp.max_window_packets), _events(
        told, sent[sent["event"] < told.size]
    )


def _window(told: np.ndarray, largest: int | None) -> pd.DataFrame:
    """Return the state after each event; `largest` is the receiver window."""
    cwnd, ssthresh = told["cwnd"].astype(float), told["ssthresh"].astype(float)
    return pd.DataFrame(
        {
            "time_s": told["time"] / TICKS_PER_S,
            "window_packets": np.minimum(cwnd, np.inf if largest is None else largest),
            "cwnd_packets": cwnd,
            "ssthresh_packets": np.where(np.isfinite(ssthresh), ssthresh, np.nan),
            "queue_packets": told["queued"],
        }
    )


def _events(told: np.ndarray, sent: np.ndarray) -> pd.DataFrame:
    """Return a row for each event and, after it, one for each packet that it sends."""
    names = np.array([NAMES[kind] for kind in range(len(NAMES))], dtype=object)[told["kind"]]
    repeats = (told["kind"] == ACK) & (told["ack"] == np.r_[-2, told["ack"][:-1]])
    names[repeats] = "duplicate ack"
    highest = np.maximum.accumulate(np.r_[-1, sent["packet"]])[:-1]
    sends = np.where(sent["packet"] > highest, "send", "resend")
    rows = pd.DataFrame(
        {
            "time_s": np.r_[told["time"], told["time"][sent["event"]]] / TICKS_PER_S,
            "event": np.r_[names, sends.astype(object)],
            "packet": np.r_[told["packet"], sent["packet"]],
            "lost": np.r_[np.zeros(told.size, bool), sent["arrives"] == LOST],
        }
    )
    order = np.argsort(np.r_[np.arange(told.size), sent["event"]], kind="stable")
    rows["packet"] = rows["packet"].astype("Int64").where(rows["packet"] >= 0)
    return rows.iloc[order].reset_index(drop=True)
