"""Connections over recorded links, each for a whole pass: simulated, or the kernel's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.linux import Linux
from tcpgoodput.engines.linux.instructions import instructions
from tcpgoodput.engines.linux.run import observed
from tcpgoodput.engines.planning import Plan, opening_ssthresh_packets
from tcpgoodput.numerics.statistics import Interval
from tcpgoodput.recordings.campaign import Campaign, Case, Link, Sender, scenario_over, sent_by
from tcpgoodput.recordings.recording import PACKET_BITS
from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.simulation import Counts, Simulation

Row = dict[str, Any]

MOST_PPS = 12_000.0
"""Packets that the kernel's flows may carry in a second, all together, on a machine of two cores:
they last as long as the recordings, and must not disturb each other."""


def simulated(campaign: Campaign, case: Case) -> Row:
    """Simulate a connection from each place of the recording, a whole pass each.

    The interval says what it is worth where the start is, and with it where the bins of the rate
    begin, which a whole pass all but forgets: it says nothing of other drives.
    """
    length_s = case.link.second.length_s
    found = [one_pass(scenario, campaign.warm_up_s, length_s) for scenario in case.scenarios]
    bits = 8 * case.scenario.tcp.mss_bytes
    interval = Interval.of([bits * counts.delivered / length_s for counts in found])
    return {
        **labels(case),
        "engine": "packet",
        "goodput_bps": round(interval.mean),
        "ci95_bps": round(interval.half_width),
        "replications": interval.replications,
        "measured_s": length_s,
        "packets_sent": sum(counts.packets_sent for counts in found),
        "timeouts": sum(counts.timeouts for counts in found),
        "fast_retransmits": sum(counts.fast_retransmits for counts in found),
        "packets_dropped": sum(counts.dropped for counts in found),
    }


def one_pass(scenario: Scenario, warm_up_s: float, length_s: float) -> Counts:
    """Simulate a connection from where its trace begins, and count a pass after the warm-up."""
    simulation = Simulation(
        scenario,
        _nothing_drawn(),
        phases=False,
        ssthresh_packets=opening_ssthresh_packets(scenario),
        horizon_s=warm_up_s + length_s,
    )
    simulation.run(warm_up_s)
    before = simulation.counts
    simulation.run(warm_up_s + length_s)
    return simulation.counts - before


def _nothing_drawn() -> np.random.Generator:
    """Return random numbers for what has no use for them: a recording says all that happens."""
    return np.random.default_rng(0)


def beside_kernel(
    campaign: Campaign, links: Sequence[Link], kernel: Sequence[Row], scratch: Path
) -> Iterator[Row]:
    """Yield, for each of the kernel's passes, the simulator's from the same place.

    Args:
        campaign: how long connections warm up, and over which bins the rate is taken.
        links: at hand; passes over others are left out.
        kernel: the kernel's passes, as they were recorded.
        scratch: a folder for what the connections read.

    """
    known = {link.name: link for link in links}
    for row in kernel:
        if row["link"] not in known:
            continue
        second = known[row["link"]].second
        place_s = campaign.bin_s * round(float(row["start_s"]) / campaign.bin_s)
        content = scenario_over(campaign, second.from_place(place_s), scratch / row["link"])
        sender = Sender(variant=row["variant"], stack=row["stack"])
        scenario = sent_by(sender, int(row["buffer_packets"]), content)
        counts = one_pass(scenario, campaign.warm_up_s, second.length_s)
        named = ("link", "buffer_bdp", "buffer_packets", "variant", "stack", "start_s")
        yield {
            **{name: row[name] for name in named},
            "kernel_bps": row["goodput_bps"],
            "simulated_bps": round(8 * scenario.tcp.mss_bytes * counts.delivered / second.length_s),
        }


def labels(case: Case) -> Row:
    """Return the columns that name a connection."""
    return {
        "link": case.link.name,
        "buffer_bdp": case.share,
        "buffer_packets": case.scenario.path.buffer_packets,
        "variant": case.sender.variant,
        "stack": case.sender.stack or "",
    }


def kernel_rows(
    campaign: Campaign, cases: list[Case], report: Callable[[str], object]
) -> Iterator[Row]:
    """Run the kernel's sender from the recordings' own beginning, several flows abreast.

    Shares of the buffer that are as many packets are one connection, and share what it measured.

    Raises:
        Unavailable: this machine cannot.

    """
    engine = Linux()
    if missing := engine.missing():
        raise Unavailable(missing)
    engine.compile()
    asked = [case for case in cases if case.sender.stack]
    alike = {_connection(case): case for case in asked}
    seen: dict[tuple[Any, ...], Row] = {}
    done = 0
    for abreast, group in groupby(alike.values(), lambda case: flows_abreast(engine, case)):
        with ThreadPoolExecutor(abreast) as pool:
            these = list(group)
            runs = pool.map(lambda case: _kernel_row(engine, campaign, case), these)
            for case, row in zip(these, runs, strict=True):
                done += 1
                told = f"{done} of {len(alike)}: {' '.join(map(str, _connection(case)))}"
                if isinstance(row, str):
                    report(f"{told}: {row}")
                    continue
                seen[_connection(case)] = row
                report(f"{told}: {row['goodput_bps'] / 1e6:.4g} Mbit/s")
    for case in asked:
        if found := seen.get(_connection(case)):
            yield {**labels(case), **found}


def flows_abreast(engine: Linux, case: Case) -> int:
    """Return how many flows over a case's link this machine can carry side by side."""
    return max(1, min(engine.abreast, int(MOST_PPS * PACKET_BITS / case.link.whole.mean_bps)))


def _connection(case: Case) -> tuple[Any, ...]:
    return (case.link.name, case.sender.variant, case.scenario.path.buffer_packets)


def _kernel_row(engine: Linux, campaign: Campaign, case: Case) -> Row | str:
    plan = Plan(1, campaign.warm_up_s, 0.0, case.link.second.length_s)
    scenario = case.scenario
    profile, mss_bytes = engine.setting(scenario), scenario.tcp.mss_bytes
    text = instructions(scenario, profile, _nothing_drawn(), plan, phases=False)
    try:
        seen = observed(text, plan.warm_up_s + plan.measured_s, mss_bytes)
    except Unavailable as unavailable:
        return str(unavailable)
    return {
        "engine": "linux",
        "start_s": 0.0,
        "goodput_bps": round(8 * mss_bytes * seen.goodput_pps),
        "replications": 1,
        "measured_s": round(seen.measured_s, 3),
        "packets_sent": seen.packets_sent,
        "timeouts": seen.timeouts,
        "fast_retransmits": seen.fast_retransmits,
        "packets_dropped": seen.packets_dropped,
    }
