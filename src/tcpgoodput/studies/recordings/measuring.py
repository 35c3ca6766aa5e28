"""Measurements over recorded links, by simulation or by the Linux kernel's sender.

A pass is one run of a connection through a half of a recording, or through a piece of it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.linux import Linux
from tcpgoodput.engines.linux.engine import largest_pps
from tcpgoodput.engines.linux.instructions import instructions
from tcpgoodput.engines.linux.run import observed
from tcpgoodput.engines.planning import Plan, opening_ssthresh_packets
from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.simulation import Counts, Simulation
from tcpgoodput.statistics import Interval
from tcpgoodput.studies.recordings.campaign import (
    Campaign,
    Case,
    Link,
    Sender,
    scenario_over,
    sent_by,
)

Row = dict[str, Any]

LONGEST_PIECE_S = 80.0
"""Longest piece of a recording over which the kernel's sender runs without a break, in seconds.
Each piece has its own warm-up. A run counts only if no other process delays it, which is unlikely
over ten minutes. Chosen by hand."""

CONNECTION = ("link", "buffer_bdp", "buffer_packets", "variant", "stack")
"""Columns that identify a connection."""

COUNTED = ("packets_sent", "timeouts", "fast_retransmits", "packets_dropped")
"""Columns with counts, which are fields of simulated and of observed counts."""


def simulated(campaign: Campaign, case: Case) -> Row:
    """Simulate a connection from each start over each half of the recording.

    All columns are about the second half, except `first_half_bps`, the mean goodput over the first
    half. The interval (`ci95_bps`, the half-width) shows how much the goodput depends on the start.
    It does not include differences to other recordings.
    """
    bits = 8 * case.scenario.tcp.mss_bytes
    first_s, length_s = case.link.first.recording.length_s, case.link.second.length_s
    before = [one_pass(scenario, campaign.warm_up_s, first_s) for scenario in case.earlier]
    found = [one_pass(scenario, campaign.warm_up_s, length_s) for scenario in case.scenarios]
    interval = Interval.of([bits * counts.delivered / length_s for counts in found])
    return {
        **labels(case.link, case.sender, case.share, case.packets),
        "engine": "packet",
        "goodput_bps": round(interval.mean),
        "ci95_bps": round(interval.half_width),
        "replications": interval.replications,
        "measured_s": length_s,
        **{name: sum(getattr(counts, name) for counts in found) for name in COUNTED},
        "first_half_bps": round(np.mean([bits * one.delivered / first_s for one in before])),
    }


def one_pass(scenario: Scenario, warm_up_s: float, length_s: float) -> Counts:
    """Simulate a connection; return its counts (packets, timeouts) after the warm-up."""
    simulation = Simulation(
        scenario,
        np.random.default_rng(0),  # nothing is drawn, because recorded links are not random
        phase=0.0,
        ssthresh_packets=opening_ssthresh_packets(scenario),
        horizon_s=warm_up_s + length_s,
    )
    simulation.run(warm_up_s)
    before = simulation.counts
    simulation.run(warm_up_s + length_s)
    return simulation.counts - before


def kernel_and_simulator(
    campaign: Campaign, links: Sequence[Link], kernel: Sequence[Row], scratch: Path
) -> Iterator[Row]:
    """Simulate each connection that the kernel ran, from the same starts; yield both goodputs.

    Measurements over other links are left out.
    """
    known = {link.name: link for link in links}
    wanted = [row for row in kernel if row["link"] in known]
    for _, rows in groupby(wanted, operator.itemgetter(*CONNECTION)):
        pieces = list(rows)
        first, second = pieces[0], known[pieces[0]["link"]].second
        sender = Sender(variant=first["variant"], stack=first["stack"])
        theirs = ours = whole_s = 0.0
        for piece in pieces:
            place_s, piece_s = float(piece["start_s"]), float(piece["measured_s"])
            at_bin_s = campaign.bin_s * round(place_s / campaign.bin_s)
            content = scenario_over(campaign, second.from_place(at_bin_s), scratch / first["link"])
            scenario = sent_by(sender, int(first["buffer_packets"]), content)
            counts = one_pass(scenario, campaign.warm_up_s, piece_s)
            ours += 8 * scenario.tcp.mss_bytes * counts.delivered
            theirs += float(piece["goodput_bps"]) * piece_s
            whole_s += piece_s
        yield {
            **{name: first[name] for name in CONNECTION},
            "pieces": len(pieces),
            "measured_s": round(whole_s, 3),
            "kernel_bps": round(theirs / whole_s),
            "simulated_bps": round(ours / whole_s),
        }


def labels(link: Link, sender: Sender, share: float, packets: int) -> Row:
    """Return the columns that identify a connection, with their values; see `CONNECTION`.

    `share` is the buffer in bandwidth-delay products, `packets` the buffer in packets.
    """
    values = (link.name, share, packets, sender.variant, sender.stack or "")
    return dict(zip(CONNECTION, values, strict=True))


def kernel_rows(
    campaign: Campaign, cases: list[Case], scratch: Path, report: Callable[[str], object]
) -> Iterator[Row]:
    """Run the kernel's sender over pieces of recordings, several flows in parallel; yield rows.

    There is a row for each piece and connection. Cases whose buffers have the same number of
    packets share one measurement. A connection is left out if one of its pieces could not be
    measured because the machine was too busy. Cases with a sender of the RFCs are ignored. `report`
    is called with a line of text after each piece.

    Raises:
        Unavailable: the machine cannot run the kernel's engine.

    """
    engine = Linux()
    if missing := engine.missing():
        raise Unavailable(missing)
    engine.compile()
    wanted = [case for case in cases if case.sender.stack]
    alike = {_connection(case): case for case in wanted}
    seen: dict[tuple[Any, ...], list[Row | str]] = {}
    these = [(case, place_s) for case in alike.values() for place_s in pieces_s(campaign, case)]
    with ThreadPoolExecutor(engine.parallel_runs) as pool:
        runs = pool.map(lambda one: _piece(engine, campaign, *one, scratch), these)
        for number, ((case, place_s), row) in enumerate(zip(these, runs, strict=True), start=1):
            found = row if isinstance(row, str) else f"{row['goodput_bps'] / 1e6:.4g} Mbit/s"
            what = " ".join(map(str, _connection(case)))
            report(f"{number} of {len(these)}: {what} from {place_s:g} s: {found}")
            seen.setdefault(_connection(case), []).append(row)
    for case in wanted:
        rows = [row for row in seen[_connection(case)] if not isinstance(row, str)]
        if len(rows) == len(seen[_connection(case)]):
            place = labels(case.link, case.sender, case.share, case.packets)
            yield from ({**place, **row} for row in rows)


def pieces_s(campaign: Campaign, case: Case) -> list[float]:
    """Return the starts, in seconds, of the pieces into which a recording's second half is cut.

    Pieces have nearly equal lengths, of at most about `LONGEST_PIECE_S`, and start at edges of
    rate bins.
    """
    length_s = case.link.second.length_s
    count = math.ceil(length_s / LONGEST_PIECE_S)
    return [campaign.bin_s * round(n * length_s / count / campaign.bin_s) for n in range(count)]


def _connection(case: Case) -> tuple[Any, ...]:
    return (case.link.name, case.sender.variant, case.packets)


def _piece(
    engine: Linux, campaign: Campaign, case: Case, place_s: float, scratch: Path
) -> Row | str:
    """Run the kernel's sender over the piece that starts at `place_s` seconds."""
    second = case.link.second
    places = [*pieces_s(campaign, case), second.length_s]
    piece_s = places[places.index(place_s) + 1] - place_s
    stem = scratch / "-".join(map(str, (*_connection(case), place_s))).replace(".", "_")
    content = scenario_over(campaign, second.from_place(place_s), stem)
    scenario = sent_by(case.sender, case.packets, content)
    plan = Plan(1, campaign.warm_up_s, 0.0, piece_s)
    profile, mss_bytes = engine.setting(scenario), scenario.tcp.mss_bytes
    text = instructions(scenario, profile, np.random.default_rng(0), plan, phases=False)
    try:
        seen = observed(text, plan.warm_up_s + plan.measured_s, mss_bytes, largest_pps(scenario))
    except Unavailable as unavailable:
        return str(unavailable)
    return {
        "engine": "linux",
        "start_s": round(place_s, 3),
        "goodput_bps": round(8 * mss_bytes * seen.goodput_pps),
        "replications": 1,
        "measured_s": round(seen.measured_s, 3),
        **{name: getattr(seen, name) for name in COUNTED},
    }
