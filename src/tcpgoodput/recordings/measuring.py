"""Connections over recorded links, each for a whole pass: simulated, or the kernel's own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.linux import Linux
from tcpgoodput.engines.planning import SMALLEST_SSTHRESH, Plan
from tcpgoodput.numerics.statistics import Interval
from tcpgoodput.recordings.campaign import Campaign, Case
from tcpgoodput.scenario import random_stream
from tcpgoodput.simulator.simulation import Simulation

Row = dict[str, Any]

SEED = 1

PROFILE = "modern"
"""The kernel's own defaults."""

KERNEL_VARIANTS = ("sack", "cubic")

ABREAST = 8
"""Of the kernel's flows: they last as long as the recordings, and must not disturb each other."""


def simulated(campaign: Campaign, case: Case) -> Row:
    """Simulate a connection from several places of the recording, a whole pass each.

    The interval says what the place of the start is worth, which a whole pass all but forgets: it
    says nothing of other drives.
    """
    length_s = case.link.second.length_s
    found = []
    for start in range(campaign.starts):
        # Not keyed by the scenario's content, which holds the name of a file that is thrown away.
        stream = random_stream(
            case.scenario.model_copy(update={"capacity": None, "delay": None}), SEED, start
        )
        simulation = Simulation(
            case.scenario,
            stream,
            ssthresh_packets=SMALLEST_SSTHRESH,
            horizon_s=campaign.warm_up_s + length_s,
        )
        simulation.run(campaign.warm_up_s)
        before = simulation.counts
        simulation.run(campaign.warm_up_s + length_s)
        found.append(simulation.counts - before)
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
) -> list[Row]:
    """Run the kernel's sender over links that have no delays of their own, several abreast."""
    asked = [
        case
        for case in cases
        if case.sender.stack
        and case.sender.variant in KERNEL_VARIANTS
        and case.scenario.delay is None
    ]
    engine = Linux(PROFILE)
    if missing := engine.missing():
        raise Unavailable(missing)
    engine.compile()
    rows = []
    with ThreadPoolExecutor(ABREAST) as pool:
        runs = pool.map(lambda case: _kernel_row(engine, campaign, case), asked)
        for number, (case, row) in enumerate(zip(asked, runs, strict=True), start=1):
            told = f"{case.link.name} {case.sender.variant} {case.share:g}"
            report(f"{number} of {len(asked)}: {told}: {row if isinstance(row, str) else 'done'}")
            if isinstance(row, dict):
                rows.append(row)
    return rows


def _kernel_row(engine: Linux, campaign: Campaign, case: Case) -> Row | str:
    from tcpgoodput.engines.linux.instructions import instructions
    from tcpgoodput.engines.linux.run import observed

    plan = Plan(1, campaign.warm_up_s, 0.0, case.link.second.length_s)
    mss_bytes = case.scenario.tcp.mss_bytes
    stream = random_stream(
        case.scenario.model_copy(update={"capacity": None, "delay": None}), SEED, 0
    )
    text = instructions(case.scenario, PROFILE, stream, plan)
    try:
        seen = observed(text, plan.warm_up_s + plan.measured_s, mss_bytes)
    except Unavailable as unavailable:
        return str(unavailable)
    return {
        **labels(case),
        "engine": "linux",
        "goodput_bps": round(8 * mss_bytes * seen.goodput_pps),
        "replications": 1,
        "measured_s": round(seen.measured_s, 3),
        "packets_sent": seen.packets_sent,
        "timeouts": seen.timeouts,
        "fast_retransmits": seen.fast_retransmits,
        "packets_dropped": seen.packets_dropped,
    }
