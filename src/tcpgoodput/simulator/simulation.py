"""Simulation of one scenario: its state in records and arrays, and its run up to a given time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice
from operator import sub
from typing import NamedTuple

import numpy as np

from tcpgoodput.answers import Undefined
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.distributions import Constant
from tcpgoodput.scenario.loss import checked_runs
from tcpgoodput.scenario.vocabulary import Path, Spikes, Tcp
from tcpgoodput.simulator import connection
from tcpgoodput.simulator.arrays import enlarged, new_arrays
from tcpgoodput.simulator.channel.arq import GONE, new_errors
from tcpgoodput.simulator.channel.capacity import fill_capacity
from tcpgoodput.simulator.channel.delay import fill_delay
from tcpgoodput.simulator.channel.spikes import MOST_SPIKES, first_spike
from tcpgoodput.simulator.channel.state import CHANNEL, LISTED, LOST, new_channel
from tcpgoodput.simulator.compiled import LONGEST_S, NEVER, TICKS_PER_S, seconds, ticks
from tcpgoodput.simulator.receiver import new_receiver
from tcpgoodput.simulator.senders.scoreboard.bbr import modes
from tcpgoodput.simulator.senders.state import SENDER, UNLIMITED, new_sender
from tcpgoodput.simulator.trace import EVENT, SENT, new_trace

MOST_UNDER_WAY = 2**20
"""Largest number of outstanding packets of a connection. With so many, the arrays that hold their
times and states take 44 MB."""

LISTED_RUNS = 1024
"""Number of runs of consecutive lost packets that are drawn at once, before the simulation needs
them. Chosen by hand."""


class Counts(NamedTuple):
    """Counts of a connection's packets and events since its start."""

    time_s: float
    """Time of the last event in seconds; of a difference of two counts, the time between them."""
    delivered: int
    """Number of packets that the receiver got, each counted once."""
    packets_sent: int
    retransmissions: int
    timeouts: int
    fast_retransmits: int
    loss_events: int
    """Number of loss events that the sender noticed; several losses in one window count once."""
    rtt_samples: int
    rtt_sum_s: float
    packets_lost: int
    """Number of packets lost on the link, including those that hand-offs lose."""
    packets_dropped: int
    """Number of packets dropped by the full buffer."""
    handoffs: int
    window_area: float
    """Integral of the window over time, limited by the receiver's window, in packets times
    seconds."""
    stalled_area: float
    """Integral over time of the number of outstanding packets beyond `connection.MOST_OUTSTANDING`
    times the largest window so far, in packets times seconds. Only a sender that waits for a
    timeout and still sends new packets has so many."""
    # Random draws of the path minus their expected values. The differences have mean 0 at any time.
    excess_good_runs: float
    """Number of good runs of the loss process, minus the number expected for their total length."""
    excess_bad_runs: float
    """Number of bad runs of the loss process, minus the number expected for their total length."""
    excess_spikes: float
    """Number of delay spikes, minus the number expected for the sum of their intervals."""
    excess_durations: float
    """Sum of the spikes' durations minus the expected sum, in mean durations."""
    excess_capacity: float
    """Number of packets that a random capacity could carry, minus the expected number."""

    def __sub__(self, before: Counts) -> Counts:
        """Return the counts of the time since an earlier state, whose counts are subtracted."""
        return Counts(*map(sub, self, before))

    @property
    def goodput_pps(self) -> float:
        """The number of delivered packets per second."""
        return self.delivered / self.time_s


# Read all fields of a record at once: reading them one by one takes several times as long.
_OF_SENDER, _OF_CHANNEL = (
    [name for name in Counts._fields if name in (record.names or ())]
    for record in (SENDER, CHANNEL)
)


class Simulation:
    """A simulation of one connection on its path."""

    def __init__(
        self,
        scenario: Scenario,
        stream: np.random.Generator,
        *,
        phase: float | None = None,
        ssthresh_packets: float = math.inf,
        lose: tuple[int, ...] = (),
        late_s: Mapping[int, float] | None = None,
        traced_events: int = 0,
        express: bool = True,
        horizon_s: float = LONGEST_S,
    ) -> None:
        """Prepare the simulation of a scenario; time starts at 0 and no packet is sent.

        Args:
            scenario: the scenario to simulate.
            stream: the source of random numbers.
            phase: phase at which periodic processes start, in periods; None: each at a random one.
            ssthresh_packets: ssthresh of the first slow start, in packets.
            lose: numbers of transmissions, from 0, that are lost in addition to the scenario's
                losses.
            late_s: additional delays in seconds, by number of the transmission.
            traced_events: largest number of events to record.
            horizon_s: the latest time to which the simulation will run, in seconds.
            express: whether to use the faster code if possible; the result is the same.

        """
        self.scenario = scenario
        self._stream = stream
        sender = new_sender(scenario.tcp)
        receiver = new_receiver(scenario.tcp, scenario.propagation_rtt_s)
        channel = new_channel(scenario, stream, phase)
        self._records = (sender, receiver, channel)
        self._sender, self._receiver, self._channel = sender[0], receiver[0], channel[0]
        self._sender["ssthresh"] = ssthresh_packets
        self._channel["may_express"] = express
        self._horizon = ticks(horizon_s)
        self._channel["horizon"] = self._horizon
        if scenario.spikes:
            first_spike(self._channel, stream)
        capacity = fill_capacity(self._channel, scenario, stream, phase)
        delays = [ticks(s) for s in scenario.handoffs.delay_steps_s] if scenario.handoffs else []
        delays = delays or fill_delay(self._channel, scenario, stream, phase)
        script = {number: ticks(late) for number, late in (late_s or {}).items()}
        script |= dict.fromkeys(lose, LOST)
        if samples := bool(self._sender["bbr"]):
            modes.start(self._sender, scenario.tcp, ticks(scenario.propagation_rtt_s))
        errors = new_errors(scenario, stream)
        if errors is not None:  # the fast code (`express`) takes packets to leave as they come
            self._channel["may_express"] = False
        self._arrays = new_arrays(
            capacity, delays, script, traced_events, samples=samples, errors=errors
        )
        self._bad_runs = checked_runs(scenario.loss, stream)
        self._trace = new_trace()

    def run(self, until_s: float, *, loss_events: int = UNLIMITED, delivered: float = 0.0) -> bool:
        """Run to a time, or to a number of loss events; return whether any event is left.

        No event is left if all data of a finite transfer are acknowledged.

        Args:
            until_s: the time in seconds; events at or after it are left for the next run.
            loss_events: number of loss events since the start at which to stop.
            delivered: number of delivered packets since the start; if fewer are delivered then, the
                run stops at the first later loss event at which enough are.

        Raises:
            ValueError: the time is beyond the horizon.
            Undefined: too many packets are outstanding, or delay spikes let no packet pass.

        """
        end = ticks(until_s)
        if end > self._horizon:
            raise ValueError(f"{until_s:g} s lie beyond the simulation's horizon")
        self._sender["pause_at"] = loss_events
        self._sender["pause_delivered"] = math.ceil(delivered)
        outcome = connection.FULL
        while outcome == connection.FULL:
            outcome = connection.run(*self._records, self._trace, self._arrays, end, self._stream)
            if outcome == connection.FULL:
                self._extend()
        if self._channel["silent"]:
            raise Undefined(
                f"no packet passes in {MOST_SPIKES} successive delay spikes, so no goodput can be "
                "measured"
            )
        return outcome != connection.FINISHED

    def _extend(self) -> None:
        """List further lost packets, or enlarge the arrays of outstanding packets.

        The compiled code stops if it needs one of these, because it allocates no memory.
        """
        c = self._channel
        if c["loss"] == LISTED and c["crossed"] == c["listed_until"]:
            runs = list(islice(self._bad_runs, LISTED_RUNS)) or [(NEVER, NEVER)]
            c["bad_from"] = c["bad_until"] = c["listed_until"]
            c["bad_run"], c["listed_until"] = 0, runs[-1][1]
            self._arrays = self._arrays._replace(bad_runs=np.array(runs, np.int64))
            return
        if self._arrays.arrivals.size >= MOST_UNDER_WAY:
            raise Undefined(
                f"more than {MOST_UNDER_WAY} packets are in flight, or wait at the receiver for a "
                "lost one: limit tcp.max_window_packets, as a receiver does, or path.buffer_packets"
            )
        r = self._receiver
        self._arrays = enlarged(self._arrays, int(r.last_in_order), int(r.highest))

    @property
    def counts(self) -> Counts:
        """The counts of packets and events since the start of the connection."""
        sender, receiver, channel = self._records
        lost, dropped, handoffs, area, stalled, *excess = channel[_OF_CHANNEL].item()
        return Counts(
            seconds(channel["last_event"].item()),
            receiver["delivered"].item(),
            *sender[_OF_SENDER].item(),
            *(lost, dropped, handoffs),
            *(area / TICKS_PER_S, stalled / TICKS_PER_S),
            *excess,
        )

    @property
    def is_paused(self) -> bool:
        """Whether the last run stopped at a loss event, not at a time."""
        return bool(self._sender.loss_events >= self._sender.pause_at)

    @property
    def flight(self) -> int:
        """The number of packets that the sender has sent, and that no ACK has acknowledged."""
        return int(self._sender.highest_sent - self._sender.acked)

    @property
    def under_way(self) -> int:
        """The number of packets that are under way or whose ACKs are under way."""
        c, frames = self._channel, self._arrays.frames
        places = np.arange(c.first_frame, c.next_frame) % frames.size
        on_link = int((frames["state"][places] != GONE).sum())
        return int(c.next_under_way - c.first_under_way) + on_link

    def keep(self, events: int) -> None:
        """Record at most `events` events from now on; discard the events recorded so far."""
        kept = {"events": np.zeros(events, EVENT), "sent": np.zeros(4 * events, SENT)}
        self._arrays.frames["record"] = -1  # their records are discarded
        self._arrays = self._arrays._replace(**kept)
        self._trace = new_trace()

    def events(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the records of events and of packets sent; see `trace.EVENT` and `trace.SENT`."""
        kept = self._trace[0]
        return self._arrays.events[: kept["events"]], self._arrays.sent[: kept["sent"]]


def compile_all() -> None:
    """Run a short simulation with delay spikes, so that numba caches the compiled code."""
    tcp = Tcp(variant="newreno", mss_bytes=1, transfer_packets=1)
    path = Path(rate_bps=1e6, forward_delay_s=0.0, backward_delay_s=0.1)
    second = Constant(distribution="constant", mean_s=1)
    spikes = Spikes(interval=second, duration=second)
    title = "The shortest transfer"
    scenario = Scenario(id="shortest", title=title, tcp=tcp, path=path, spikes=spikes)
    Simulation(scenario, np.random.default_rng(0)).run(1.0)
