"""The command `tcpgoodput simulate`: measures the goodput of a scenario."""

from __future__ import annotations

import math
import os
import platform
from pathlib import Path
from typing import Annotated, Any

import typer

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.api.simulate import MOST_EVENTS, traced
from tcpgoodput.cli.output import (
    AsCsv,
    AsJson,
    Changes,
    ScenarioFileIfAny,
    Seed,
    check_place,
    form_of,
    known,
    print_data,
    print_heading,
    print_pairs,
    print_text,
    progress,
    read_request,
)
from tcpgoodput.cli.stated_link import Loss, Rate, RoundTrip, StatedLink
from tcpgoodput.configuration import refused
from tcpgoodput.configuration.packed_text import beginning_of
from tcpgoodput.engines.base import PACKET, Engine, Measurement, Unavailable
from tcpgoodput.engines.closeness import fault_of_duration, measured_as_requested
from tcpgoodput.engines.linux import PROFILES, Linux
from tcpgoodput.engines.packet import Packet, out_of_reach
from tcpgoodput.engines.planning import BUDGETS, most_replications
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import impairments
from tcpgoodput.storage import write_text

COUNTS = ("packets_sent", "retransmissions", "loss_events", "fast_retransmits", "timeouts")


def text_pairs(record: dict[str, Any]) -> list[tuple[str, str]]:
    """Return a measurement as pairs of a name and a formatted value."""
    interval, rtt_s = record["ci95_bps"], record["mean_rtt_s"]
    window = record["mean_window_packets"]
    around = "no interval" if interval is None else f"± {interval / 1e3:.3g}"
    return [
        ("goodput, kbit/s", f"{record['goodput_bps'] / 1e3:.6g} {around}"),
        ("utilisation", f"{record['utilisation']:.4f}"),
        ("replications", f"{record['replications']} of {record['measured_s']:.4g} s"),
        *((n.replace("_", " "), "-" if record[n] is None else str(record[n])) for n in COUNTS),
        ("mean window, packets", "-" if window is None else f"{window:.4g}"),
        ("mean round-trip time, s", "-" if rtt_s is None else f"{rtt_s:.4g}"),
        ("computed in, s", f"{record['wall_s']:.3g}"),
    ]


TRACE_BEGINS = b"time_s,window_packets,"
"""The beginning of a trace, by which a file may be replaced by another one."""

PACKET_NS = 100
"""CPU time of a simulated packet in nanoseconds for the slowest sender, BBR. Measured by
`benchmarks/simulator.py`."""

NOTICED_S = 20.0
"""Expected duration in seconds from which a simulation is announced. Chosen by hand."""

EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME",
        help=f"engine that measures: {', '.join(ENGINES)}",
        autocompletion=lambda: list(ENGINES),
    ),
]
Replications = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=100_000,
        metavar="N",
        help="number of independent runs; default: the engine's number. Without --replications "
        "and --duration, the packet simulator sends more packets until the interval is narrow",
    ),
]
Duration = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        help="measured time of each run in seconds, after its warm-up; default: enough for a "
        "steady state and a narrow interval",
    ),
]
Profile = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"settings of Linux: {', '.join(PROFILES)}; default: those for the scenario's variant",
        autocompletion=lambda: list(PROFILES),
    ),
]

Trace = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.csv",
        help=f"also write cwnd, ssthresh and queue of one connection after each of its first "
        f"{MOST_EVENTS} events; of BBR the mode, the pacing rate and the estimates, too",
    ),
]


def simulate(
    scenario_file: ScenarioFileIfAny = None,
    changes: Changes = None,
    rate: Rate = None,
    rtt: RoundTrip = None,
    loss: Loss = None,
    engine: EngineName = PACKET,
    replications: Replications = None,
    duration: Duration = None,
    seed: Seed = 1,
    profile: Profile = None,
    trace: Trace = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Measure a scenario's goodput, with its 95 % confidence interval."""
    form, chosen = form_of(as_json, as_csv), _engine(engine, profile)
    if trace is not None and chosen.name != PACKET:
        raise refused("--trace", "", f"is for --engine {PACKET}, not {chosen.name}")
    if trace is not None:  # refuse its place before anything is simulated
        check_place("--trace", trace)
        if trace.exists() and beginning_of(trace, len(TRACE_BEGINS)) != TRACE_BEGINS:
            message = f"{trace} is there and is no trace: remove it, or name another file"
            raise refused("--trace", "", message)
    request = read_request(scenario_file, changes, StatedLink(rate, rtt, loss))
    scenario, conditions = request.scenario, Conditions(seed=seed)
    if fault := fault_of_duration(scenario, duration):
        raise refused("--duration", "", fault)
    if advance_notice := _advance_notice(chosen, scenario, conditions, replications, duration):
        print_text(advance_notice, err=True)
    try:
        with progress() as report:
            measurement = measured_as_requested(
                chosen,
                scenario,
                conditions,
                replications=replications,
                duration_s=duration,
                report=report,
            )
    except Undefined as undefined:
        place = request.document.file if chosen.name == PACKET else "--engine"
        raise refused(place, "", str(undefined)) from None
    except Unavailable as unavailable:
        raise refused("--engine", "", str(unavailable)) from None
    record = measurement.record(scenario)
    if trace is not None:
        window, _ = traced(scenario, seed, measurement.measured_s)
        write_text(trace, window.to_csv(index=False, lineterminator="\n"))
        first = len(window) == MOST_EVENTS
        until = f", the first ones, up to {window['time_s'].iloc[-1]:.4g} s" if first else ""
        print_text(f"{trace}: written, {len(window)} events at the sender{until}", err=True)
    if not print_data(form, record, list(record), [record]):
        print_heading(request)
        print_pairs(text_pairs(record))
        for note in filter(None, (measurement.reason, _endless_growth(scenario, measurement))):
            print_text(f"Note: {note}.")


def _endless_growth(scenario: Scenario, measurement: Measurement) -> str:
    """Return why window and round-trip time have no steady state, or an empty text.

    They have none if neither the receiver, the buffer nor an impairment limits the window. An
    engine that counts no loss events, such as a kernel, may have limits of its own.
    """
    limited = scenario.tcp.max_window_packets or scenario.path.buffer_packets
    reducing = impairments(scenario) - {"varying capacity", "varying delay"}
    if limited or reducing or measurement.loss_events != 0:
        return ""
    return (
        "nothing limits the window, so it grows without end: the mean window and the mean "
        "round-trip time depend on the simulated time; path.buffer_packets or "
        "tcp.max_window_packets limits the window"
    )


def _advance_notice(
    engine: Engine,
    scenario: Scenario,
    conditions: Conditions,
    replications: int | None,
    duration_s: float | None,
) -> str:
    """Return a sentence about a long run: what is measured, and how long it takes.

    The sentence is empty if the run is short, if its duration is not known in advance, or if the
    engine cannot run the scenario.
    """
    if isinstance(engine, Linux):
        if engine.refusal(scenario) or engine.missing():
            return ""
        plan = engine.plan_as_requested(
            scenario, conditions, replications=replications, duration_s=duration_s
        )
        most = "at most" if scenario.tcp.transfer_packets else "about"
        return (
            f"Linux {platform.release()} with the kernel settings (--profile) "
            f"{engine.setting(scenario)}: {plan.replications} runs in real time take {most} "
            f"{rounded_time(engine.elapsed_s(scenario, plan))}."
        )
    if not isinstance(engine, Packet) or duration_s is None or out_of_reach(scenario):
        return ""
    usual = BUDGETS[conditions.precision].replications
    runs = replications or most_replications(scenario, usual)
    packet_s = scenario.packet_bits / scenario.path.rate_bps
    window = scenario.tcp.max_window_packets or math.inf
    highest_pps = min(1 / packet_s, window / (scenario.propagation_rtt_s + packet_s))
    packets = runs * duration_s * highest_pps
    cores = min(runs, len(os.sched_getaffinity(0)))
    expected_s = packets * PACKET_NS * 1e-9 / cores
    if expected_s < NOTICED_S:
        return ""
    return (
        f"The simulation sends up to {packets:.1e} packets, which takes up to about "
        f"{rounded_time(expected_s)}."
    )


def rounded_time(seconds: float) -> str:
    """Return a duration in words, in seconds, minutes, hours or days."""
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _engine(name: str, profile: str | None) -> Engine:
    """Return the engine with the given name; for Linux, with the given profile."""
    engine = ENGINES[known("--engine", "engine", name, list(ENGINES))]
    if profile is None:
        return engine
    if not isinstance(engine, Linux):
        raise refused("--profile", "", f"is for --engine linux, not {engine.name}")
    return Linux(known("--profile", "profile", profile, list(PROFILES)))
