"""`tcpgoodput.simulate`: measure a goodput, and record the events of one connection."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tcpgoodput.api.load import Given, known, known_conditions, load, whole
from tcpgoodput.engines.base import PACKET
from tcpgoodput.engines.base import Measurement as Measured
from tcpgoodput.engines.closeness import fault_of_duration, measured_as_requested
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.simulator.channel.state import LOST
from tcpgoodput.simulator.compiled import LONGEST_S, TICKS_PER_S
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.simulator.trace import (
    ACK,
    DELAYED_ACK,
    PACED,
    SILENT_ARRIVAL,
    START,
    TIMEOUT,
    TIMER,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tcpgoodput.style import Style


MOST_EVENTS = 100_000
"""Number of events at the sender (ACKs, timeouts) after which the trace of a connection ends.
Chosen by hand."""

FIRST_LOOK_S = 1.0
"""Simulated time in seconds at which `traced` first checks the number of recorded events; each
further check is at twice the time of the last one. Chosen by hand."""

MODES = ("startup", "drain", "probe bandwidth", "probe round trip")
"""Names of BBR's modes; see `senders.bbr_state`."""

NAMES = {
    START: "start",
    ACK: "ack",
    SILENT_ARRIVAL: "arrival",
    DELAYED_ACK: "delayed ack",
    TIMEOUT: "timeout",
    PACED: "paced",
    TIMER: "timer",
}


def traced(
    scenario: Scenario, seed: int, until_s: float, most_events: int = MOST_EVENTS
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the window and the events of a connection from its first packet on.

    Periodic impairments start at phase 0 with the first packet, as in figures of sample paths. A
    finite transfer is recorded to its end. The results are the tables `window` and `events` of a
    `Measurement`.
    """
    if scenario.tcp.transfer_packets:
        until_s = LONGEST_S
    stream = random_stream(scenario, seed, 0)
    simulation = Simulation(scenario, stream, phase=0.0, traced_events=most_events)
    at_s = min(FIRST_LOOK_S, until_s)
    while simulation.run(at_s) and at_s < until_s and simulation.events()[0].size < most_events:
        at_s = min(2 * at_s, until_s)
    events, sent = simulation.events()
    return _window(events, scenario), _events(events, sent[sent["event"] < events.size])


def _window(events: np.ndarray, scenario: Scenario) -> pd.DataFrame:
    """Return the sender's state after each event."""
    largest = scenario.tcp.max_window_packets
    cwnd, ssthresh = events["cwnd"].astype(float), events["ssthresh"].astype(float)
    frame = pd.DataFrame(
        {
            "time_s": events["time"] / TICKS_PER_S,
            "window_packets": np.minimum(cwnd, np.inf if largest is None else largest),
            "cwnd_packets": cwnd,
            "ssthresh_packets": np.where(np.isfinite(ssthresh), ssthresh, np.nan),
            "queue_packets": events["queued"],
        }
    )
    if scenario.tcp.variant != "bbr":
        return frame
    return frame.assign(
        mode=np.array(MODES, dtype=object)[events["mode"]],
        pacing_pps=events["pacing_rate"] * TICKS_PER_S,
        bandwidth_pps=events["bandwidth"] * TICKS_PER_S,
        path_rtt_s=events["path_rtt"] / TICKS_PER_S,
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


@dataclass(frozen=True, kw_only=True, repr=False)
class Measurement(Measured):
    """A measured goodput, with its interval and the counts of events in the measured time."""

    scenario: Scenario
    window: pd.DataFrame | None = None
    """State after each event of one connection, with `trace=True`: `time_s`, `window_packets` (the
    smaller of cwnd and the receiver window), `cwnd_packets`, `ssthresh_packets`, `queue_packets`.
    A BBR sender also has `mode`, `pacing_pps`, `bandwidth_pps` and `path_rtt_s`: its mode, its
    pacing rate, and its estimates of the bandwidth and of the path's round trip."""
    events: pd.DataFrame | None = None
    """Events of one connection, with `trace=True`: `time_s`, `event`, `packet` and `lost`; see
    `simulate`."""

    @classmethod
    def over(
        cls,
        scenario: Scenario,
        measured: Measured,
        traces: tuple[pd.DataFrame, pd.DataFrame] | None = None,
    ) -> Measurement:
        """Return the measurement of a scenario's goodput, with `window` and `events` if traced."""
        window, events = traces or (None, None)
        return cls(**vars(measured), scenario=scenario, window=window, events=events)

    @property
    def name(self) -> str:
        """Name of the engine that measured."""
        return self.engine

    @property
    def goodput_bps(self) -> float:
        """Goodput in payload bits per second; each packet is counted once."""
        return float(self.record(self.scenario)["goodput_bps"])

    @property
    def ci95_bps(self) -> float | None:
        """Half-width of the 95 % interval, in bits per second; None for a single replication."""
        found: float | None = self.record(self.scenario)["ci95_bps"]
        return found

    @property
    def utilisation(self) -> float:
        """Goodput over the rate of the path, or over its mean capacity if the capacity varies."""
        return float(self.record(self.scenario)["utilisation"])

    def __repr__(self) -> str:
        around = "" if self.ci95_bps is None else f" ± {self.ci95_bps / 1e3:.3g}"
        return (
            f"<{self.scenario.id}: {self.goodput_bps / 1e3:.6g}{around} kbit/s, measured by "
            f"{self.name}, {self.replications} × {self.measured_s:.4g} s>"
        )

    def _repr_html_(self) -> str:
        known = {k: v for k, v in self.record(self.scenario).items() if v is not None}
        shown = pd.Series(known, name="measured").drop(["scenario", "status"]).to_frame()
        title = escape(f"{self.scenario.id}: {self.scenario.title}")
        return f"<p><b>{title}</b></p>{shown.to_html(border=0)}"

    def plot(self) -> Axes:
        """Draw the window of the traced connection over time, with its lost packets and timeouts.

        Returns:
            The axes.

        Raises:
            ValueError: the measurement has no trace; simulate with `trace=True`.

        """
        import matplotlib.pyplot as plt  # it loads slowly

        _, axes = plt.subplots()
        draw_window(axes, self)
        axes.set_title(f"{self.scenario.id}: {self.scenario.title}", wrap=True)
        return axes


def draw_window(axes: Axes, measured: Measurement, style: Style | None = None) -> None:
    """Draw the window of a traced connection over time, with its lost packets and timeouts.

    The window is the smaller of congestion window and receiver window, in packets.

    Args:
        axes: the matplotlib axes to draw on.
        measured: a measurement made with `trace=True`.
        style: colours. None: those of `config/style.yaml`, or defaults outside the project.

    Raises:
        ValueError: the measurement has no trace.

    """
    window, events = measured.window, measured.events
    if window is None or events is None:
        raise ValueError("the measurement has no trace: simulate with trace=True")
    from tcpgoodput.project.settings import style_at_hand  # the settings' schema loads slowly

    style = style or style_at_hand()
    ink, accent, grey = (style.palette.lines[n].colour for n in ("neutral", "second", "level"))
    axes.step(window["time_s"], window["window_packets"], where="post", color=ink, lw=1)
    high = window["window_packets"].max()
    happened = {
        "packet lost": (events.loc[events["lost"], "time_s"], 1.05, "|", accent),
        "timeout": (events.loc[events["event"] == "timeout", "time_s"], 1.12, "v", grey),
    }
    for label, (times, level, marker, colour) in happened.items():
        if len(times):
            heights = np.full(len(times), level * high)
            axes.plot(times, heights, marker, color=colour, label=label)
    # Leave room above the markers for the legend: outside the axes, a saved picture would cut it.
    axes.set(xlabel="time [s]", ylabel="window [packets]", ylim=(0, 1.45 * high))
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False, loc="upper right", ncols=len(happened))


def simulate(
    scenario: Given,
    engine: str = PACKET,
    replications: int | None = None,
    duration_s: float | None = None,
    seed: int = 1,
    trace: bool = False,
) -> Measurement:
    """Measure the goodput of a scenario, with its 95 % confidence interval.

    The first simulation on a machine compiles the simulator, which takes up to a minute.

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
            packet that causes no ACK), `paced` (the pacing of BBR lets a waiting packet leave),
            `timer` (the reordering or the probe timer ends) and `timeout`, each followed by the
            `send` or `resend` that it causes. `packet` is the packet sent, or the one that the ACK
            reports; `lost` marks packets that never arrive.

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
    if not trace:
        return Measurement.over(loaded, measured)
    assert measured.measured_s is not None
    return Measurement.over(loaded, measured, traced(loaded, seed, measured.measured_s))
