"""A scenario from measurements: what is known of a link, and an assumption for what is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tcpgoodput.configuration import refused
from tcpgoodput.configuration.units import plain
from tcpgoodput.studies.measured.known import (
    APART,
    LEAST_BURST,
    Known,
    Reading,
    best_of,
    counted_limit,
    largest_of,
)
from tcpgoodput.studies.recordings.views import (
    HEADER_BYTES,
    View,
    buffer_packets,
    identifier,
    rounded,
)

MSS_BYTES = 1448
"""Payload of a packet of 1500 bytes with IPv4 and time stamps, if no file tells another."""

SENDERS = {"cubic": "cubic", "reno": "sack", "bbr": "bbr"}
"""Variants of scenarios for the names of Linux' congestion controls; reno has SACK there."""

FEWEST_STALLS = 3
"""Smallest number of stalls that become delay spikes of the scenario; chosen by hand."""

UNSCALED_WINDOW_BYTES = 65_535
"""Largest receiver window without window scaling (RFC 9293)."""

DROPPED = "none: the queue dropped them"
"""Assumption that no packet that was sent again was lost on the link, in words."""

RATE_TEST = "iperf3 -c HOST -u -b 0 -t 10 -J --get-server-output"
"""Command of a UDP test that shows the rate of a link."""

FILLED = 0.9
"""Smallest mean goodput with headers, relative to the rate, of a transfer that filled the link, and
LEAST_QUEUE the smallest queue, relative to the bandwidth-delay product, of one that filled the
buffer. Chosen by hand."""

LEAST_QUEUE = 0.1

STANDING = 1.5
"""Smallest median round trip of a transfer, relative to that without load, for which its queue
hardly ever ran empty, so that it kept the link busy. Chosen by hand: a sender that halves its
window when a buffer of a bandwidth-delay product overflows has this median."""

LINUX_FLOOR_S = 0.2
"""Smallest timeout of Linux in seconds."""

IMPOSSIBLE = 1.1
"""Smallest goodput with headers, relative to the rate of the link, that contradicts this rate.
Chosen by hand: an interval may begin with a full queue."""

LONGEST_FLOOR_S = 10.0
"""Longest smallest timeout in seconds that is taken from a measurement; chosen by hand."""

Changes = dict[str, Any]


@dataclass
class Described:
    """A link in the vocabulary of scenarios."""

    content: dict[str, Any]
    """The keys of the scenario."""
    derived: dict[str, str] = field(default_factory=dict)
    """Origin of the value of each key."""
    others: list[tuple[str, str, Changes]] = field(default_factory=list)
    """Other values of inputs: an input, its other value in words, and the changes."""
    missing: dict[str, str] = field(default_factory=dict)
    """Assumptions in place of inputs that no file tells, and how to measure them."""

    lacking: dict[str, str] = field(default_factory=dict)
    """Inputs without which there is no scenario, and how to measure them; empty: it is complete."""

    doubts: list[str] = field(default_factory=list)
    """Sentences on sources that contradict each other."""
    busy: Reading | None = None
    """The transfer whose queue hardly ever ran empty, if there is one."""
    is_rate_shared: bool = False
    """True: the rate is that which this transfer had, and other traffic may have shared it."""

    @property
    def is_rate_assumed(self) -> bool:
        """Whether the rate is only the largest goodput of a transfer, so the link may be faster."""
        return "rate" in self.missing

    @property
    def view(self) -> View:
        """The scenario with comments, as it is written to a file."""
        return View("link", "`tcpgoodput link`", self.content, self.derived)


def described(
    readings: Sequence[Reading],
    rate_bps: float | None = None,
    rtt_s: float | None = None,
    variant: str | None = None,
) -> Described:
    """Describe a measured link as a scenario.

    Args:
        readings: the measurements.
        rate_bps: the user's rate of the link in bit/s; None: it is measured.
        rtt_s: the user's round trip without load in seconds; None: it is measured.
        variant: the user's sender, a `tcp.variant`; None: that of a transfer, else cubic.

    Returns:
        The link. If its rate or round trip is neither measured nor given, it has `lacking`, and no
        scenario.

    Raises:
        ConfigurationError: by one of the files, every packet was lost or sent again.

    """
    link = Described({})
    mss = best_of(readings, "mss_bytes")
    mss_bytes = round(mss.value) if mss and 40 <= mss.value <= 9216 else MSS_BYTES
    named = next((r.variant for r in readings if r.variant), None)
    sender = variant or SENDERS.get(named or "", "cubic")
    name = identifier(readings[0].path.stem)
    link.content |= {
        "id": f"{name}-link",
        "title": f"Link measured in {readings[0].path.name}",
        "tcp": _linux(sender, mss_bytes),
        "path": {},
    }
    if not variant and named not in SENDERS:
        unknown = f"{named} is not simulated" if named else "no file names the sender"
        link.missing["sender"] = f"{unknown}: CUBIC is assumed; --variant"
    link.derived["tcp.variant"] = "--variant" if variant else f"the sender is {named or 'assumed'}"
    bits = 8 * (mss_bytes + HEADER_BYTES)
    rtt = _round_trip(link, readings, rtt_s)
    link.busy = None if rtt is None else _busy_transfer(readings, rtt)
    rate = _rate(link, readings, rate_bps, bits / (8 * mss_bytes))
    link.doubts = _contradictions(readings, rate_bps, rtt_s, bits / (8 * mss_bytes))
    if rate is None:
        link.lacking["the rate of the link"] = "iperf3 -c HOST -t 30 -J >FILE, or --rate 20M"
    if rtt is None:
        link.lacking["the round trip"] = "ping -D -c 600 -i 0.2 HOST >FILE, or --rtt 40ms"
    if rate is None or rtt is None:
        return link
    link.content["path"] = _path(rate, rtt)
    _buffer(link, readings, rate, rtt, bits)
    _loss(link, readings, bits / rate)
    _stalls(link, readings)
    if window := best_of(readings, "window_bytes"):
        link.content["tcp"]["max_window_packets"] = max(1, round(window.value / mss_bytes))
        link.derived["tcp.max_window_packets"] = f"the largest that was seen; {window.source}"
    else:
        link.missing["receiver window"] = "unlimited is assumed; iperf3 -J and ss -tin tell it"
        small = max(1, UNSCALED_WINDOW_BYTES // mss_bytes)
        words = f"{small} packets, as without window scaling"
        link.others.append(("receiver window", words, {"tcp.max_window_packets": small}))
    _timeout(link, readings)
    return link


def _contradictions(
    readings: Sequence[Reading], rate_bps: float | None, rtt_s: float | None, wire: float
) -> list[str]:
    """Return sentences on hosts that differ, and on numbers that differ by a factor of two."""
    found = []
    rates = [(known.value, known.source) for r in readings if (known := r.get("rate_bps"))]
    rates = [(rate_bps, "--rate")] * (rate_bps is not None) + rates
    for value, source in rates[1:]:
        if not 1 / APART < value / rates[0][0] < APART:
            rate, other = (f"{one / 1e6:.4g} Mbit/s" for one in (rates[0][0], value))
            found.append(f"the rate is {rate} by {rates[0][1]}, but {other} by {source}")
    found += _unequal_goodputs(readings)
    hosts = {one.host: one.path.name for one in reversed(readings) if one.host}
    if len(hosts) > 1:
        words = ", ".join(f"{host} in {name}" for host, name in hosts.items())
        found.append(f"the files name several hosts ({words}): do all lie behind this link?")
    peak = largest_of(readings, "peak_bps", "goodput_bps")
    if rates and peak and peak.value * wire >= IMPOSSIBLE * rates[0][0]:
        rate, most = (f"{one / 1e6:.4g} Mbit/s" for one in (rates[0][0], peak.value))
        words = f"the rate is {rate} by {rates[0][1]}, but a transfer in {peak.source} reached"
        found.append(f"{words} {most}")
    shortest, loaded = best_of(readings, "rtt_min_s"), best_of(readings, "loaded_rtt_s")
    for known, longest in ((shortest, APART), (loaded, math.inf)):
        if rtt_s and known and not 1 / APART < known.value / rtt_s < longest:
            words = f"the round trip is {plain(1e3 * rtt_s)} ms by --rtt"
            found.append(f"{words}, but {known.text} by {known.source}")
            break
    return found


def _unequal_goodputs(readings: Sequence[Reading]) -> list[str]:
    """Return a sentence for each transfer that is slower than the fastest one by a factor of two.

    Transfers of other senders, of another number of connections, or held to a rate may differ.
    """
    transfers = [
        (one, known) for one in readings if (known := one.get("goodput_bps")) and not one.is_held
    ]
    if not transfers:
        return []
    found = []
    (fast, most), *others = transfers
    for slow, known in others:
        names = {one.variant for one in (fast, slow) if one.variant}
        is_alike = len(names) < 2 and fast.streams == slow.streams
        if is_alike and known.value * APART <= most.value:
            reached, other = (f"{one.value / 1e6:.4g} Mbit/s" for one in (most, known))
            words = f"a transfer in {most.source} reached {reached}, but one in {known.source}"
            found.append(f"{words} only {other}; the first one is used")
    return found


def assumed(rate_bps: float, rtt_s: float, loss: float = 0.0) -> dict[str, Any]:
    """Return the keys of a scenario for a link of which only three numbers are known.

    The sender is CUBIC of Linux, the buffer holds a bandwidth-delay product, and losses are
    independent: what `described` assumes if no measurement tells more.
    """
    packets = buffer_packets(rate_bps, rtt_s, 1.0)
    words = f"{plain(rate_bps / 1e6)} Mbit/s, {plain(1e3 * rtt_s)} ms"
    words += f", {plain(100 * loss)} % loss" if loss else ""
    content = {
        "id": "my-link",
        # The title is kept if a user changes what is assumed.
        "title": f"CUBIC of Linux over {words}, a buffer of {packets} packets, unless changed",
        "tcp": _linux("cubic", MSS_BYTES),
        "path": {**_path(rate_bps, rtt_s), "buffer_packets": packets},
    }
    if loss:
        content["loss"], _ = _process(loss, None, None, 0.0)
    return content


def _linux(variant: str, mss_bytes: int) -> dict[str, Any]:
    """Return the keys of a sender of Linux and its receiver."""
    sizes = {"mss_bytes": mss_bytes, "header_bytes": HEADER_BYTES}
    return {"variant": variant, "stack": "linux-6.18", **sizes, "ack_every": 2}


def _path(rate_bps: float, rtt_s: float) -> dict[str, Any]:
    """Return the keys of a path whose two ways take equally long."""
    delay_s = rounded(rtt_s / 2)
    return {"rate_bps": rounded(rate_bps), "forward_delay_s": delay_s, "backward_delay_s": delay_s}


def _busy_transfer(readings: Sequence[Reading], rtt_s: float) -> Reading | None:
    """Return the first transfer whose queue hardly ever ran empty; None if there is none."""
    loaded = ((one, one.get("loaded_rtt_s")) for one in readings if one.get("interval_bps"))
    return next((one for one, rtt in loaded if rtt and rtt.value >= STANDING * rtt_s), None)


def _rate(
    link: Described, readings: Sequence[Reading], given_bps: float | None, wire: float
) -> float | None:
    """Return the rate of the link in bit/s; `wire` is the size of a packet over its payload.

    A transfer that kept the link busy tells it by its goodput in half of its intervals. Others only
    show that the link is at least as fast as in the fastest interval.
    """
    if given_bps is not None:
        link.derived["path.rate_bps"] = "--rate"
        return given_bps
    known = best_of(readings, "rate_bps")
    if known is None and link.busy and (had := link.busy.get("interval_bps")):
        value, low, high = (wire * one for one in (had.value, had.low, had.high))
        how = "the goodput of a transfer whose queue hardly ever ran empty, with headers"
        known, link.is_rate_shared = replace(had, value=value, low=low, high=high, how=how), True
    if known:
        link.derived["path.rate_bps"] = _origin(known)
        if known.low > 0:
            ends = [end for end in (known.low, known.high) if math.isfinite(end)]
            link.others += [
                ("rate", f"{end / 1e6:.4g} Mbit/s", {"path.rate_bps": end})
                for end in ends
                if end != known.value
            ]
        return known.value
    peak = largest_of(readings, "peak_bps", "goodput_bps")
    if peak is None or not peak.value:
        return None
    rate_bps = peak.value * wire
    words = "the largest goodput that was seen, with headers: the link is at least as fast"
    link.derived["path.rate_bps"] = f"{words}; {peak.source}"
    link.missing["rate"] = f"{words}; {RATE_TEST}, --rate"
    link.others.append(("rate", "twice as large", {"path.rate_bps": 2 * rate_bps}))
    return rate_bps


def _round_trip(
    link: Described, readings: Sequence[Reading], given_s: float | None
) -> float | None:
    """Return the round trip without load in seconds."""
    key = "path.forward_delay_s"
    if given_s is not None:
        link.derived[key] = "half of --rtt"
        return given_s
    spans = [one.span_s for one in readings if one.is_transfer and one.span_s]
    idle = [one for one in readings if not one.is_transfer and not _meets(one.span_s, spans)]
    known = best_of(idle, "rtt_median_s") or best_of(readings, "rtt_min_s")
    if known is None and (known := best_of(readings, "loaded_rtt_s")):
        words = "only a loaded link was measured, so this includes its queue"
        link.missing["round trip"] = f"{words}; ping -D -c 600 -i 0.2 HOST, or --rtt"
        link.others.append(("round trip", "half as long", _delays(known.value / 2)))
    if known is None or known.value <= 0:  # a tool may round the round trips of a host nearby to 0
        return None
    link.derived[key] = f"half of the round trip of {known.text}: {_origin(known)}"
    if known.low > 0 and math.isfinite(known.high):
        for end in dict.fromkeys((known.low, known.high)):
            link.others.append(("round trip", f"{1e3 * end:.4g} ms", _delays(end)))
    return known.value


def _meets(span: tuple[float, float] | None, others: list[tuple[float, float]]) -> bool:
    """Return whether a time overlaps with one of others; False if it is unknown."""
    return any(span and span[0] < end and start < span[1] for start, end in others)


def _delays(rtt_s: float) -> Changes:
    return {"path.forward_delay_s": rtt_s / 2, "path.backward_delay_s": rtt_s / 2}


def _buffer(
    link: Described, readings: Sequence[Reading], rate_bps: float, rtt_s: float, bits: int
) -> None:
    """Add the buffer: the queue of a transfer that filled it, else a bandwidth-delay product.

    A transfer fills the buffer if nothing but the rate limits it. A queue as large as the product
    is taken, too, because it is at least as large as what would be assumed.
    """
    path, key = link.content["path"], "path.buffer_packets"
    longest = best_of(readings, "loaded_rtt_max_s")
    queue = (longest.value - rtt_s) * rate_bps / bits if longest else 0.0
    goodput = best_of(readings, "goodput_bps")
    wire = bits / (bits - 8 * HEADER_BYTES)
    product = buffer_packets(rate_bps, rtt_s, 1.0)
    is_filled = goodput is not None and goodput.value * wire >= FILLED * rate_bps
    fewest = LEAST_QUEUE * product if is_filled else product
    if longest and queue >= max(1, fewest) and not counted_limit(readings):
        path["buffer_packets"] = max(4, math.ceil(queue))
        link.derived[key] = f"rate times the delay that a queue added; {longest.source}"
        return
    packets = max(product, math.ceil(queue))
    path["buffer_packets"] = packets
    words = "one bandwidth-delay product is assumed"
    link.derived[key] = words
    if longest and queue >= 1:
        words += f"; it holds at least {math.ceil(queue)} packets, which the transfer queued"
    link.missing["buffer"] = f"{words}; iperf3 -J tells it if nothing but the rate limits the test"
    for factor, times in ((0.25, "a quarter"), (4, "four times")):
        change = {key: max(4, round(factor * packets), math.ceil(queue))}
        link.others.append(("buffer", f"{times} of that", change))


def _loss(link: Described, readings: Sequence[Reading], slot_s: float) -> None:
    """Add the loss of the link; `_losses` has the rule.

    The queue of a transfer that kept the link busy drops packets. Unless probes were lost, too,
    they are all that it sent again.
    """
    probed, known = _losses(readings)
    reading = next((one for one in readings if known in one.known), None)
    if reading and known and rounded(known.value) >= 1:
        message = f"says that every packet was lost or sent again ({known.how}): was the link "
        raise refused(reading.path, "", f"{message}down? measure again, or leave this file out")
    none_probed = not (probed and probed.count)
    if none_probed and known and known.value and link.busy and known in link.busy.known:
        link.content["loss"] = {"process": "none"}
        words = "none: the queue, which hardly ever ran empty, dropped what was sent again"
        link.derived["loss"] = f"{words}; {known.source}"
        change = {"loss": {"process": "bernoulli", "probability": rounded(known.value)}}
        link.others.append(("loss", f"{100 * known.value:.3g} %, all by the link", change))
        return
    if known is None or reading is None:
        link.content["loss"] = {"process": "none"}
        words = "none is assumed; ping -D -c 6000 -i 0.2 HOST or iperf3 -J tells it"
        link.missing["loss"] = words
        other = {"loss": {"process": "bernoulli", "probability": 1e-3}}
        link.others.append(("loss", "1 packet in 1000", other))
        return
    bad, burst = reading.get("bad_s"), reading.get("burst_packets")
    link.content["loss"], words = _process(known.value, bad, burst, slot_s)
    link.derived["loss"] = f"{words}: {_origin(known)}"
    for end in (known.low, known.high):
        if math.isfinite(end) and end < 1 and end != known.value:
            change = {"loss": _process(end, bad, burst, slot_s)[0]}
            link.others.append(("loss", f"{100 * end:.3g} %", change))
    if none_probed and known.quantity == "resent" and known.value:
        link.others.append(("loss", DROPPED, {"loss": {"process": "none"}}))
    if known is probed and known.value and reading.is_there_and_back:
        half = {"loss": _process(known.value / 2, bad, burst, slot_s)[0]}
        link.others.append(("loss", "half of them on the way back", half))
    if burst is not None and known.quantity == "resent" and known.value:
        for end in (burst.low, burst.high):
            if not math.isfinite(end) or max(end, burst.high) <= LEAST_BURST:
                continue
            longer = bad and replace(bad, value=bad.value * end / burst.value)
            ends = replace(burst, value=end, low=end, high=end)
            change = {"loss": _process(known.value, longer, ends, slot_s)[0]}
            if change["loss"] != link.content["loss"]:
                link.others.append(("loss events", f"{end:.3g} packets per event", change))
    if burst is None and bad is None and known.value:
        link.missing["loss events"] = (
            "each loss counts as an event; tshark and irtt tell bursts, and so does iperf3 -J if "
            "some of its intervals have no losses (-i)"
        )
        change = {"loss": _in_bursts(known.value, 3.0)}
        link.others.append(("loss events", "three packets per event", change))


def _losses(readings: Sequence[Reading]) -> tuple[Known | None, Known | None]:
    """Return the loss that probes tell, and the loss to use: that of the probes or of a transfer.

    Probes show the loss of an idle link, a transfer has more packets, but the queue may drop some:

    1. If the losses of probes come in bursts, the probes are used. Of several such files, that with
       the most loss events is.
    2. Else a transfer is used if its share is not above that of the probes (the intervals meet),
       and it has at least as many losses as the probes have loss events. Transfers that tell how
       many packets an event has come first, then those with the most losses.
    3. Else the probes with the most loss events are used.
    """

    def is_in_bursts(reading: Reading) -> bool:
        burst = reading.get("burst_packets")
        return bool(reading.get("bad_s") or (burst and burst.low > LEAST_BURST))

    def usefulness(both: tuple[Reading, Known]) -> tuple[bool, int, int]:
        reading, known = both
        has_pattern = is_in_bursts(reading) or (
            known.quantity == "resent" and reading.get("burst_packets") is not None
        )
        return has_pattern, known.count, reading.probes

    probes = [(one, known) for one in readings if (known := one.get("loss"))]
    chosen, probed = max(probes, key=usefulness, default=(None, None))
    if chosen and is_in_bursts(chosen):
        return probed, probed
    resent = [(one, known) for one in readings if (known := one.get("resent"))]
    if probed:
        resent = [
            (one, known)
            for one, known in resent
            if known.low <= probed.high and known.count >= probed.count
        ]
    return probed, max(resent, key=usefulness, default=(None, probed))[1]


def _process(
    share: float, bad: Known | None, burst: Known | None, slot_s: float
) -> tuple[dict[str, Any], str]:
    """Return a loss process with a share of lost packets, and its name in words."""
    if share <= 0:
        return {"process": "none"}, "no loss was seen"
    if bad is not None and bad.value > slot_s:
        leaves = -math.expm1(-slot_s / bad.value)
        enters = min(1.0, leaves * share / (1 - share))
        found: dict[str, Any] = {"process": "gilbert-elliott", "clock": "slot"}
        found |= {"good_to_bad": rounded(enters), "bad_to_good": rounded(leaves)}
        return found, f"bad times of {bad.value:.3g} s on average, in which all packets are lost"
    if bad is None and burst is not None and burst.low > LEAST_BURST:
        return _in_bursts(share, burst.value), "losses in bursts"
    return {"process": "bernoulli", "probability": rounded(share)}, "independent losses"


def _in_bursts(share: float, packets: float) -> dict[str, Any]:
    enters = min(1.0, share / (1 - share) / packets)
    found: dict[str, Any] = {"process": "gilbert-elliott", "clock": "packet"}
    return found | {"good_to_bad": rounded(enters), "bad_to_good": rounded(1 / packets)}


def _stalls(link: Described, readings: Sequence[Reading]) -> None:
    """Add the stalls as delay spikes, except outages, which are losses."""
    counted = [(one, rate) for one in readings if (rate := one.get("stalls_per_s"))]
    if not counted:
        link.missing["stalls"] = "none are assumed; ping -D -i 0.2 HOST tells them"
        return
    reading, rate = max(counted, key=lambda both: both[1].count)
    probed = [(one, known) for one, known in counted if one.probes]
    other, known = min(probed, key=lambda both: both[1].high, default=(reading, rate))
    if reading.is_transfer and known.high < rate.value:
        words = f"stalls per minute: {known.text} by {known.source}, but {rate.text} by "
        words += f"{rate.source}, of a transfer, which is also silent while it waits for a timeout"
        link.doubts.append(f"{words}; the first one is used")
        reading, rate = other, known
    length, outages = reading.get("stall_s"), reading.outages_s
    delays = rate.count - len(outages)
    if length and delays >= FEWEST_STALLS:
        interval_s = rate.count / rate.value / delays
        length_s = (rate.count * length.value - sum(outages)) / delays
        if length_s >= interval_s:
            return
        link.content["spikes"] = {
            "interval": {"distribution": "exponential", "mean_s": rounded(interval_s)},
            "duration": {"distribution": "exponential", "mean_s": rounded(length_s)},
        }
        words = f"{rate.how}; exponential times are assumed"
        link.derived["spikes"] = f"{words}; {rate.source}"
        link.others.append(("stalls", "none", {"spikes": None}))


def _timeout(link: Described, readings: Sequence[Reading]) -> None:
    """Add the smallest timeout: that of the sender, else that of Linux."""
    floor = best_of(readings, "rto_floor_s")
    if floor and floor.value <= LONGEST_FLOOR_S:
        value_s = round(floor.value, 2) if floor.value > 0.05 else floor.value
        link.content["tcp"]["rto"] = {"min_s": rounded(value_s)}
        link.derived["tcp.rto.min_s"] = _origin(floor)
        return
    words = f"{LINUX_FLOOR_S:g} s is assumed, as of Linux"
    link.missing["smallest timeout"] = f"{words}; ss -tin tells it: rto less rtt"
    link.others.append(("smallest timeout", "1 s (RFC 6298)", {"tcp.rto.min_s": 1.0}))


def _origin(known: Known) -> str:
    return f"{known.how}; {known.source}" if known.how else known.source
