"""What a measurement tells of a link: quantities with their 95 % intervals and their sources.

Every reader of this package returns a `Reading`, so all kinds of files are used in the same way. A
reader refuses a damaged or too short file by a `ConfigurationError` that says what to do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.configuration import refused
from tcpgoodput.configuration.packed_text import lines_of
from tcpgoodput.configuration.units import plain, with_digits
from tcpgoodput.statistics import CONFIDENCE, Interval, median_interval

Array = NDArray[np.float64]


class Quantity(NamedTuple):
    """A quantity in words, with the unit for readers and its size in the unit of the name."""

    words: str
    unit: str
    size: float


QUANTITIES = {
    "rate_bps": Quantity("rate of the link", "Mbit/s", 1e6),
    "goodput_bps": Quantity("goodput of the transfer", "Mbit/s", 1e6),
    "peak_bps": Quantity("goodput in the fastest interval", "Mbit/s", 1e6),
    "interval_bps": Quantity("goodput in an interval, median", "Mbit/s", 1e6),
    "rtt_min_s": Quantity("round trip, minimum", "ms", 1e-3),
    "rtt_median_s": Quantity("round trip, median", "ms", 1e-3),
    "rtt_p95_s": Quantity("round trip, 95th percentile", "ms", 1e-3),
    "loaded_rtt_s": Quantity("round trip during the transfer, median", "ms", 1e-3),
    "loaded_rtt_max_s": Quantity("round trip during the transfer, largest", "ms", 1e-3),
    "loss": Quantity("share of lost packets", "%", 1e-2),
    "loss_events": Quantity("loss events per packet", "%", 1e-2),
    "burst_packets": Quantity("lost packets per loss event", "", 1),
    "lost_runs": Quantity("runs of lost echoes per echo", "%", 1e-2),
    "run_packets": Quantity("lost echoes per run", "", 1),
    "bad_s": Quantity("mean time in which all packets are lost", "s", 1),
    "resent": Quantity("share of segments sent again", "%", 1e-2),
    "timeouts": Quantity("retransmission timeouts", "", 1),
    "reordered": Quantity("share of packets out of order", "%", 1e-2),
    "stalls_per_s": Quantity("stalls (delay of 0.2 s more, or no data) per minute", "", 1 / 60),
    "stall_s": Quantity("length of a stall, mean", "s", 1),
    "window_bytes": Quantity("receiver window, largest", "kB", 1e3),
    "window_limited": Quantity("share of the time limited by the receiver window", "%", 1e-2),
    "buffer_limited": Quantity("share of the time limited by the sender's buffer", "%", 1e-2),
    "busy": Quantity("share of the time with data to send", "%", 1e-2),
    "rto_floor_s": Quantity("smallest timeout, without the round trip", "ms", 1e-3),
    "mss_bytes": Quantity("payload of a packet (MSS) in bytes", "", 1),
}
"""The quantities that readers find, by their names in SI units, in the order of the table."""

WINDOW = "the receiver window"
COUNTERS = {"window_limited": WINDOW, "buffer_limited": "the sender's buffer"}
"""Names of limits by the quantity with the share of the time in which the kernel counted them."""

APPLICATION = "the sending application"
"""Name of the limit of a transfer that seldom has data to send."""

STALL_S = 0.2
"""Smallest delay above the median, or gap without data, that counts as a stall: the smallest
timeout of Linux, in seconds."""

LEAST_BURST = 1.5
"""Smallest mean number of packets lost per event for which losses come in bursts; chosen by
hand."""

LONGEST_S = 1e7
"""Longest time in seconds of a transfer; a longer one has a damaged clock. Chosen by hand."""

UPPER_BOUND = "the queue dropped some, and some were not lost"
"""What the share of segments that were sent again says of the loss on a link."""

DIGITS = 4
"""Number of digits of a quantity that is shown."""

APART = 2.0
"""Smallest ratio of two round trips, rates or goodputs of one link that contradict each other;
chosen by hand."""


@dataclass(frozen=True)
class Known:
    """A quantity of a link with its value, its 95 % interval, and where it came from."""

    quantity: str
    """A key of `QUANTITIES`."""
    value: float
    low: float
    high: float
    """Ends of the interval, in the unit of the quantity; NaN: unknown."""
    source: str
    """The file and its lines."""
    how: str = ""
    """Number of observations, and what the value assumes."""
    count: int = 0
    """Number of events (losses, stalls) from which the value is; 0: it is not a rate of events."""

    @property
    def text(self) -> str:
        """The value with its interval and unit, for readers."""
        size = QUANTITIES[self.quantity].size
        value, *ends = (one / size for one in (self.value, self.low, self.high))
        shown = ""
        if all(map(math.isfinite, (value, *ends))):
            # Ends with fewer decimals than the value may be rounded to its other side.
            decimals = max(0, DIGITS - 1 - math.floor(math.log10(abs(value)))) if value else 0
            texts = (f"{end:.{decimals}f}" if value else f"{end:.3g}" for end in ends)
            shown = f" ({' to '.join(plain(float(text)) for text in texts)})"
        return self._worded(shown)

    @property
    def value_text(self) -> str:
        """The value with its unit, without its interval."""
        return self._worded("")

    def _worded(self, interval: str) -> str:
        _, unit, size = QUANTITIES[self.quantity]
        return f"{with_digits(self.value / size, DIGITS)}{interval}{' ' * bool(unit)}{unit}"


@dataclass
class Reading:
    """What one file tells of a link."""

    path: Path
    kind: str
    """The tool and the form of its output, in words."""
    lines: int = 0
    """Number of lines that were read; 0: the file is not read by lines."""
    known: list[Known] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Interpretation of the file: every guess, with the option that says otherwise."""
    host: str = ""
    """Address of the other host; empty: unknown."""
    variant: str | None = None
    """The sender's congestion control, as the tool names it."""
    span_s: tuple[float, float] | None = None
    """Start and end in seconds since 1970; None: unknown."""
    outages_s: Sequence[float] = ()
    """Lengths of those stalls in which all packets were lost, in seconds."""
    is_there_and_back: bool = False
    """True: the file does not tell on which of the two ways a packet was lost."""
    is_transfer: bool = False
    """True: the file is of a transfer, which fills the queues of the link."""
    streams: int = 1
    """Number of connections that a transfer has at a time."""
    is_held: bool = False
    """True: the sender of a transfer was held to a rate."""
    probes: int = 0
    """Number of probes that were sent; 0: the file is of no probes."""

    def texts(self, most_bytes: int) -> Iterator[str]:
        """Yield the lines of the file, which has at most `most_bytes`, and count them."""
        for block in lines_of(self.path, None, most_bytes):
            for line in block.decode("utf-8", "replace").split("\n")[:-1]:
                self.lines += 1
                yield line

    def add(
        self, quantity: str, value: float, ends: Sequence[float] = (), how: str = "", count: int = 0
    ) -> None:
        """Add a quantity.

        `ends` are those of its 95 % interval, `how` has the number of observations and the
        assumptions.
        """
        low, high = ends or (math.nan, math.nan)
        lines = f", lines 1 to {self.lines}" if self.lines else ""
        source = f"{self.path.name}{lines}"
        self.known.append(Known(quantity, value, low, high, source, how, count))

    def add_share(self, quantity: str, count: int, total: int, what: str) -> None:
        """Add a share of independent events, with the interval of Clopper and Pearson."""
        if total > 0:
            ends = share_interval(count, total)
            self.add(quantity, count / total, ends, f"{count} of {total} {what}", count)

    def add_resent(self, count: int, total: int, what: str) -> None:
        """Add the share of segments that were sent again, which is not that of lost ones."""
        self.add_share("resent", count, total, f"{what}; {UPPER_BOUND}" if count else what)

    def add_stalls(self, lengths_s: Sequence[float], watched_s: float, how: str) -> None:
        """Add the rate and the mean length of the stalls in an observed time."""
        if watched_s <= 0:
            return
        rate, ends = len(lengths_s) / watched_s, list(count_interval(len(lengths_s)))
        ends = [end / watched_s for end in ends]
        self.add("stalls_per_s", rate, ends, how, len(lengths_s))
        if len(lengths_s):
            words = f"{len(lengths_s)} stall{'s' * (len(lengths_s) != 1)}"
            self.add("stall_s", *mean_and_ends(lengths_s), words)

    def add_median(self, quantity: str, values: Sequence[float] | Array, how: str) -> None:
        """Add a median with its distribution-free interval."""
        median, *ends = median_interval([float(value) for value in values])
        self.add(quantity, median, ends, how)

    def get(self, quantity: str) -> Known | None:
        """Return a quantity; None if the file does not tell it."""
        return next((one for one in self.known if one.quantity == quantity), None)

    def require(self, count: float, fewest: float, what: str, remedy: str) -> None:
        """Refuse a file with too few observations: say what was understood, and what to do.

        Raises:
            ConfigurationError: `count` is less than `fewest`.

        """
        if count < fewest:
            known = (f"{QUANTITIES[one.quantity].words} {one.value_text}" for one in self.known)
            found = "; ".join(known)
            message = f"is {self.kind} with {count:.4g} {what}, too few to describe a link; at "
            message += f"least {fewest:g} are needed: {remedy}. Understood: {found or 'nothing'}"
            raise refused(self.path, "", message)


def host_of(address: str) -> str:
    """Return an address without brackets, the zone, and the prefix of IPv4 in IPv6."""
    return address.strip("[]").partition("%")[0].removeprefix("::ffff:")


def seconds(time_s: float) -> str:
    """Return a time as text with four digits: 10850 s."""
    return f"{with_digits(time_s, DIGITS)} s"


def share_interval(count: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of Clopper and Pearson for a share (Biometrika 26, 1934)."""
    from scipy.special import betaincinv

    missed = (1 - CONFIDENCE) / 2
    low = betaincinv(count, total - count + 1, missed) if count else 0.0
    high = betaincinv(count + 1, total - count, 1 - missed) if count < total else 1.0
    return float(low), float(high)


def count_interval(count: int) -> tuple[float, float]:
    """Return the 95 % interval of the mean of a Poisson number (Garwood, Biometrika 28, 1936)."""
    from scipy.special import gammaincinv

    missed = (1 - CONFIDENCE) / 2
    low = gammaincinv(count, missed) if count else 0.0
    return float(low), float(gammaincinv(count + 1, 1 - missed))


def mean_and_ends(values: Iterable[float]) -> tuple[float, list[float]]:
    """Return the mean of positive values, and the ends of its interval by Student's t."""
    found = Interval.of([float(value) for value in values])
    if not math.isfinite(found.half_width):
        return found.mean, []
    return found.mean, [max(0.0, found.mean - found.half_width), found.mean + found.half_width]


def runs_of(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first positions and the lengths of the runs of true values."""
    edges = np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8))
    starts = np.flatnonzero(edges == 1)
    return starts, np.flatnonzero(edges == -1) - starts


def add_losses(
    reading: Reading, lost: NDArray[np.bool_], spacing_s: float, rtt_s: float, what: str
) -> None:
    """Add the share of lost packets, and the runs of successive lost packets with their lengths.

    Runs are counted as independent, packets are not, so the interval of the share is that of the
    runs times the mean run. If packets are at most a round trip apart, a run is a loss event.

    If a loss follows a loss more often than chance explains, the losses come in bad times, in which
    all packets are lost. The times between changes of the link are then exponential. If the shares
    are p of all packets and q of those after a loss, sent D apart, the time constant of both
    changes is D / ln((1 - p) / (q - p)), and a bad time lasts that long divided by 1 - p. A run at
    the end counts as one that ended there. `lost` has the packets in the order of sending. The time
    between packets is NaN if it is unknown.
    """
    total, count = lost.size, int(lost.sum())
    _, lengths = runs_of(lost)
    low, high = share_interval(lengths.size, total)
    burst, ends = mean_and_ends(lengths) if lengths.size else (1.0, [])
    of = f"{count} of {total} {what}"
    ends_of_share = [low * burst, min(1.0, high * burst)]
    reading.add("loss", count / total, ends_of_share, of, lengths.size)
    is_event = spacing_s <= rtt_s
    runs, mean_run = ("loss_events", "burst_packets") if is_event else ("lost_runs", "run_packets")
    how = f"{lengths.size} {'event' if is_event else 'run'}{'s' * (lengths.size != 1)}"
    reading.add(runs, lengths.size / total, [low, high], how)
    if not count:
        return
    reading.add(mean_run, burst, [max(1.0, end) for end in ends], how)
    p, followed = count / total, count - lengths.size
    if math.isfinite(spacing_s) and share_interval(followed, count)[0] > p:
        bad_s = spacing_s / math.log((1 - p) / (followed / count - p)) / (1 - p)
        reading.add("bad_s", bad_s, how=f"{followed} of {count} losses were followed by one")


def check_agreement(readings: Sequence[Reading]) -> None:
    """Refuse readings whose round trips cannot be those of one link.

    Two minima may differ by less than a factor of `APART`. A queue may lengthen the round trip
    during a transfer by any factor, but it cannot be shorter than the minimum by that factor.

    Raises:
        ConfigurationError: two files contradict each other.

    """
    for one, other in combinations(readings, 2):
        for first, second in ((one, other), (other, one)):
            short = second.get("rtt_min_s") or second.get("loaded_rtt_s")
            long = first.get("rtt_min_s")
            if short and long and long.value >= APART * short.value:
                words = [f"{1e3 * k.value:.4g} ms in {k.source}" for k in (long, short)]
                message = f"contradicts {second.path}: the shortest round trip is {words[0]}, but "
                message += f"{words[1]}. Are they of two links or two paths? Name the files of one "
                raise refused(first.path, "", f"{message}link, or set the round trip with --rtt")


def in_order_of_use(readings: Sequence[Reading]) -> list[Reading]:
    """Return readings such that the first that tells a quantity is the one to use.

    Probes come first, the most of them at first. Transfers follow, the fastest at first, because
    the link can carry what it reached. The order of the files does not matter.
    """

    def rank(reading: Reading) -> tuple[float, float, str]:
        goodput = reading.get("goodput_bps")
        return -reading.probes, -goodput.value if goodput else 0.0, str(reading.path)

    return sorted(readings, key=rank)


def largest_of(readings: Sequence[Reading], *quantities: str) -> Known | None:
    """Return the largest of some quantities in all files; None if no file tells them."""
    found = [known for name in quantities for one in readings if (known := one.get(name))]
    return max(found, key=lambda known: known.value, default=None)


def best_of(readings: Sequence[Reading], *quantities: str) -> Known | None:
    """Return the first of some quantities that a file tells, from the first file that does."""
    found = (reading.get(name) for name in quantities for reading in readings)
    return next((one for one in found if one), None)


def counted_limit(readings: Sequence[Reading]) -> tuple[str, float] | None:
    """Return what limited a transfer most of the time, and the share, by the kernel's counters."""
    shares = {
        name: known.value for key, name in COUNTERS.items() if (known := best_of(readings, key))
    }
    if busy := best_of(readings, "busy"):
        shares[APPLICATION] = 1 - busy.value
    name = max(shares, key=lambda name: shares[name], default="")
    return (name, shares[name]) if name and shares[name] > 0.5 else None


def rows_of(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """Return a dict for each known quantity: name, value, low, high, source, how."""
    order = list(QUANTITIES)
    found = [vars(one) for reading in readings for one in reading.known]
    return sorted(found, key=lambda row: order.index(row["quantity"]))
