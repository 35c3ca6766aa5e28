"""`tcpgoodput.simulate`: measure a goodput, and record the events of one connection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tcpgoodput.api.load import Given, known, known_conditions, load, whole
from tcpgoodput.engines.base import PACKET
from tcpgoodput.engines.closeness import fault_of_duration, measured_as_requested
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.simulator.channel.state import LOST
from tcpgoodput.simulator.compiled import LONGEST_S, TICKS_PER_S
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.simulator.trace import ACK, DELAYED_ACK, SILENT_ARRIVAL, START, TIMEOUT

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_EVENTS = 100_000
"""Number of events at the sender (ACKs, timeouts) after which the trace of a connection ends.
Chosen by hand."""

FIRST_LOOK_S = 1.0
"""Simulated time in seconds at which `traced` first checks the number of recorded events; each
further check is at twice the time of the last one. Chosen by hand."""

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

    Periodic impairments start at phase 0 with the first packet, as in figures of sample paths.

    Args:
        scenario: the scenario to simulate.
        seed: seed of all random numbers.
        until_s: end of the recorded time in seconds; a finite transfer is recorded to its end.
        most_events: largest number of recorded events.

    Returns:
        The tables `window` and `events` of a `Measurement`.

    """
    if scenario.tcp.transfer_packets:
        until_s = LONGEST_S
    stream = random_stream(scenario, seed, 0)
    simulation = Simulation(scenario, stream, phase=0.0, traced_events=most_events)
    at_s = min(FIRST_LOOK_S, until_s)
    while simulation.run(at_s) and at_s < until_s and simulation.events()[0].size < most_events:
        at_s = min(2 * at_s, until_s)
    events, sent = simulation.events()
    return _window(events, scenario.tcp.max_window_packets), _events(
        events, sent[sent["event"] < events.size]
    )


def _window(events: np.ndarray, largest: int | None) -> pd.DataFrame:
    """Return the sender's state after each event; `largest` is the receiver window in packets."""
    cwnd, ssthresh = events["cwnd"].astype(float), events["ssthresh"].astype(float)
    return pd.DataFrame(
        {
            "time_s": events["time"] / TICKS_PER_S,
            "window_packets": np.minimum(cwnd, np.inf if largest is None else largest),
            "cwnd_packets": cwnd,
            "ssthresh_packets": np.where(np.isfinite(ssthresh), ssthresh, np.nan),
            "queue_packets": events["queued"],
        }
    )


def _events(events: np.ndarray, sent: np.ndarray) -> pd.DataFrame:
    """Return a row for each event, followed by a row for every packet that the event sends."""
    names = np.array([NAMES[kind] for kind in range(len(NAMES))], dtype=object)[events["kind"]]
    repeats = (events["kind"] == ACK) & (events["ack"] == np.r_[-2, events["ack"][:-1]])
    names[repeats] = "duplicate ack"
    highest = np.maximum.accumulate(np.r_[-1, sent["packet"]])[:-1]
    sends = np.where(sent["packet"] > highest, "send", "resend")
    rows = pd.DataFrame(
        {
            "time_s": np.r_[events["time"], events["time"][sent["event"]]] / TICKS_PER_S,
            "event": np.r_[names, sends.astype(object)],
            "packet": np.r_[events["packet"], sent["packet"]],
            "lost": np.r_[np.zeros(events.size, bool), sent["arrives"] == LOST],
        }
    )
    order = np.argsort(np.r_[np.arange(events.size), sent["event"]], kind="stable")
    rows["packet"] = rows["packet"].astype("Int64").where(rows["packet"] >= 0)
    return rows.iloc[order].reset_index(drop=True)


@dataclass(frozen=True)
class Measurement:
    """A measured goodput, with its interval and the counts of events in the measured time."""

    scenario: Scenario
    name: str
    """Name of the engine that measured."""
    goodput_bps: float
    """Goodput in payload bits per second; each packet is counted once."""
    goodput_pps: float
    """Goodput in packets per second."""
    ci95_bps: float | None
    """Half-width of the 95 % confidence interval, in bits per second; None for a single
    replication."""
    utilisation: float
    """Goodput over the rate of the path, or over its mean capacity if the capacity varies."""
    replications: int
    measured_s: float
    """Measured time of each replication after its warm-up, in seconds; for finite transfers the
    mean duration of a transfer."""
    packets_sent: int | None
    """Number of packets sent. This count and the next ones, up to `handoffs`, are totals over all
    replications; None if the engine does not count."""
    retransmissions: int | None
    timeouts: int | None
    fast_retransmits: int | None
    loss_events: int | None
    packets_lost: int | None
    packets_dropped: int | None
    handoffs: int | None
    mean_window_packets: float | None
    mean_rtt_s: float | None
    is_steady: bool
    """True if the goodput depends neither on the connection's start nor on the measured time."""
    wall_s: float
    reason: str | None
    """Explanation if the interval is less reliable than usual, else None."""
    window: pd.DataFrame | None = None
    """State after each event of one connection, with `trace=True`: `time_s`, `window_packets` (the
    smaller of cwnd and the receiver window), `cwnd_packets`, `ssthresh_packets`,
    `queue_packets`."""
    events: pd.DataFrame | None = None
    """Events of one connection, with `trace=True`: `time_s`, `event`, `packet` and `lost`; see
    `simulate`."""

    @classmethod
    def of(cls, scenario: Scenario, record: Mapping[str, Any]) -> Measurement:
        """Return the measurement of a scenario from its record.

        Args:
            scenario: the measured scenario.
            record: values of all attributes except `scenario`, by the attribute's name; further
                keys are ignored.

        """
        known_fields = {key: record[key] for key in cls.__dataclass_fields__ if key in record}
        return cls(**{**known_fields, "scenario": scenario})

    def __repr__(self) -> str:
        around = "" if self.ci95_bps is None else f" ± {self.ci95_bps / 1e3:.3g}"
        return (
            f"<{self.scenario.id}: {self.goodput_bps / 1e3:.6g}{around} kbit/s, measured by "
            f"{self.name}, {self.replications} × {self.measured_s:.4g} s>"
        )

    def _repr_html_(self) -> str:
        left_out = ("scenario", "window", "events")
        own = {name: value for name, value in vars(self).items() if name not in left_out}
        known = {name: value for name, value in own.items() if value is not None}
        title = escape(f"{self.scenario.id}: {self.scenario.title}")
        return (
            f"<p><b>{title}</b></p>{pd.Series(known, name='measured').to_frame().to_html(border=0)}"
        )

    def plot(self) -> Axes:
        """Draw the window of the traced connection over time, with its lost packets and timeouts.

        Returns:
            The axes.

        Raises:
            ValueError: the measurement has no trace; simulate with `trace=True`.

        """
        # Import matplotlib only when a plot is drawn, because it loads slowly.
        import matplotlib.pyplot as plt

        from tcpgoodput.api.plot import draw_window

        _, axes = plt.subplots()
        draw_window(axes, self)
        axes.set_title(f"{self.scenario.id}: {self.scenario.title}", wrap=True)
        return axes


def simulate(
    scenario: Given,
    engine: str = PACKET,
    replications: int | None = None,
    duration_s: float | None = None,
    seed: int = 1,
    trace: bool = False,
) -> Measurement:
    """Measure the goodput of a scenario, with its 95 % confidence interval.

    The first simulation on a machine compiles the simulator, which takes half a minute.

    Args:
        scenario: a scenario, the path of its file, or its keys as a dict.
        engine: `packet`, the packet simulator; or `ns2` or `linux`, if they are installed.
        replications: number of independent runs; None: enough for a narrow interval.
        duration_s: measured time of each run after its warm-up, in seconds; None: enough for a
            steady state.
        seed: seed of all random numbers.
        trace: whether to record one connection from its first packet on, for the duration of a
            replication or for 100 000 events, as `window` and `events`. The table `events` has one
            row for each event at the sender: `ack`, `duplicate ack`, `delayed ack`, `arrival` (a
            packet that causes no ACK) and `timeout`, each followed by the `send` or `resend` that
            it causes. `packet` is the packet sent, or the one that the ACK reports; `lost` marks
            packets that never arrive.

    Returns:
        The measurement: goodput, half-width of its interval, and counts.

    Raises:
        ConfigurationError: the scenario is invalid; the message lists all problems.
        ValueError: the engine is unknown, or a number is out of its range.
        Undefined: the scenario has no goodput to measure.
        Unavailable: the engine is not installed; the message says what to do.

    Example:
        >>> import tcpgoodput
        >>> link = "config/scenarios/s02-independent-1e-2.yaml"
        >>> measured = tcpgoodput.simulate(link, replications=4, duration_s=30, trace=True)
        >>> measured.replications, measured.goodput_bps > measured.ci95_bps > 0
        (4, True)
        >>> list(measured.window.columns)
        ['time_s', 'window_packets', 'cwnd_packets', 'ssthresh_packets', 'queue_packets']
        >>> measured.events.head(3)[["event", "packet", "lost"]]
           event  packet   lost
        0  start    <NA>  False
        1   send       0  False
        2   send       1  False

    """
    chosen = ENGINES[known("engine", engine, list(ENGINES))]
    conditions, loaded = known_conditions(seed=seed), load(scenario)
    if replications is not None:
        whole("replications", replications, 1)
    if fault := fault_of_duration(loaded, duration_s):
        raise ValueError(f"duration_s: {fault}")
    if trace and engine != PACKET:
        raise ValueError(f"trace is told by the engine {PACKET!r}, not by {engine!r}")
    measured = measured_as_requested(
        chosen, loaded, conditions, replications=replications, duration_s=duration_s
    )
    found = Measurement.of(loaded, measured.record())
    if trace:
        window, events = traced(loaded, seed, measured.measured_s)
        found = replace(found, window=window, events=events)
    return found
