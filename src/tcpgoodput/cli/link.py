"""The command `tcpgoodput link`: what measurements tell of a link, and what TCP reaches over it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tcpgoodput.cli.listing import GAP, Column, Group, signed
from tcpgoodput.cli.output import (
    AsJson,
    Seed,
    check_place,
    known,
    print_groups,
    print_json,
    print_text,
    progress,
    warn,
)
from tcpgoodput.cli.predict import print_advice
from tcpgoodput.cli.stated_link import RATE, ROUND_TRIP, Rate, RoundTrip, number_of
from tcpgoodput.cli.trace import (
    MISSING,
    STAMPS,
    LongestGap,
    MissingRates,
    RateColumn,
    RateUnit,
    Stamp,
    TimeColumn,
    TimeUnit,
    check_durations,
    write_new,
)
from tcpgoodput.comparison.census.expected import notes
from tcpgoodput.comparison.compare import times
from tcpgoodput.configuration import Document
from tcpgoodput.configuration.units import in_column
from tcpgoodput.scenario.plausibility import suspects

if TYPE_CHECKING:
    from tcpgoodput.api.link import MeasuredLink

SENDERS = ("newreno", "sack", "cubic", "bbr")
YES_OR_NO = ("yes", "no")
COUNTS = ("totals", "increments")

KNOWN = (Column("quantity", prose=True), Column("value (95 %)"), Column("from", prose=True))
COSTS = (
    Column("input", prose=True),
    Column("goodput,\nMbit/s", numbers=True),
    Column("change", numbers=True),
)

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        help="measurements of one link: output of ping, irtt, iperf3, iperf 2, ss -ti, nstat, "
        "tshark or tcptrace, packet captures, Mahimahi files, tables of times and rates",
    ),
]
Sender = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"the sender: {', '.join(SENDERS)}; default: that of a transfer, else cubic",
        autocompletion=lambda: list(SENDERS),
    ),
]
Every = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="time between the echoes of ping without time stamps, or the rows of a table without "
        "times; default: ping's summary, else 1",
    ),
]
Backward = Annotated[
    bool, typer.Option("--backward", help="of a bidirectional test, take the way to the client")
]
UdpFills = Annotated[
    str | None,
    typer.Option(
        metavar="YES_OR_NO",
        help="whether a UDP test sent more than the link carries, so that what arrived is the rate "
        "of the link; default: yes if it lost 10 %",
        autocompletion=lambda: list(YES_OR_NO),
    ),
]
Nstat = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help="whether nstat's numbers are totals or increments; default: totals if there are two "
        "dumps or more, and no counter ever falls",
        autocompletion=lambda: list(COUNTS),
    ),
]
NoSimulation = Annotated[
    bool,
    typer.Option(
        "--no-simulation",
        help="expect the goodput of the best model, at once; a link with stalls, or with losses in "
        "bursts, often has no model in domain, so that its goodput stays unknown",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", metavar="FILE", help="write the link as a scenario file"),
]


def link(
    files: Files,
    rate: Rate = None,
    rtt: RoundTrip = None,
    variant: Sender = None,
    every: Every = None,
    backward: Backward = False,
    udp_fills: UdpFills = None,
    nstat: Nstat = None,
    time_column: TimeColumn = None,
    time_unit: TimeUnit = None,
    rate_column: RateColumn = None,
    rate_unit: RateUnit = None,
    stamp: Stamp = None,
    missing: MissingRates = None,
    longest_gap: LongestGap = None,
    no_simulation: NoSimulation = False,
    seed: Seed = 1,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Say what your measurements tell of a link, and what TCP reaches over it."""
    for option, value, allowed in (
        ("--variant", variant, SENDERS),
        ("--udp-fills", udp_fills, YES_OR_NO),
        ("--nstat", nstat, COUNTS),
        ("--stamp", stamp, STAMPS),
        ("--missing", missing, MISSING),
    ):
        if value is not None:
            known(option, "value", value, allowed)
    check_durations({"--every": every, "--longest-gap": longest_gap})
    if output:
        check_place("--output", output)
    rate_bps = None if rate is None else number_of(RATE, rate)
    rtt_s = None if rtt is None else number_of(ROUND_TRIP, rtt)

    # Import these modules only here: they read measurements, which no other command does.
    from tcpgoodput.api.link import link as measured_link
    from tcpgoodput.studies.measured.files import Guesses
    from tcpgoodput.studies.recordings.columns import TableColumns

    columns = TableColumns(
        time_column, rate_column, time_unit, rate_unit, longest_gap, None, stamp, missing
    )
    guesses = Guesses(
        every,
        backward,
        None if udp_fills is None else udp_fills == "yes",
        None if nstat is None else nstat == "totals",
        columns,
    )
    found = measured_link(
        *files,
        rate_bps=rate_bps,
        rtt_s=rtt_s,
        variant=variant,
        guesses=guesses,
        simulate=not no_simulation,
        seed=seed,
    )
    if output:
        write_new({output: found.yaml}, "file")
        print_text(f"{output}: written", err=True)
    if not as_json:
        _print_known(found)
    if not found.described.lacking:
        stated = {RATE: rate, ROUND_TRIP: rtt}
        named = [option for option, text in stated.items() if text] or map(str, files)
        document = Document(", ".join(named), found.described.content, {(): 0})
        warn(suspects(document, found.scenario))
        task = "models" if no_simulation else "simulations (--no-simulation answers at once)"
        with progress(task) as report:
            found = replace(found, report=report)
            _ = found.expected_bps  # simulate while the progress is shown
    if as_json:
        print_json(found.record)
    else:
        _print(found)


def _print_known(found: MeasuredLink) -> None:
    """Print what the files tell, before anything is simulated."""
    from tcpgoodput.studies.measured.known import QUANTITIES

    groups = []
    for reading in found.readings:
        rows = [(GAP + QUANTITIES[one.quantity].words, one.text, one.how) for one in reading.known]
        lines = f", lines 1 to {reading.lines}" if reading.lines else ""
        groups.append(Group(f"{reading.path}: {reading.kind}{lines}", rows))
    print_groups(KNOWN, groups)
    _print_list("Guessed:", found.notes)


def _print(found: MeasuredLink) -> None:
    _print_list("Contradictions:", found.contradictions)
    missing = [f"{name}: {words}" for name, words in found.missing.items()]
    if found.described.lacking:
        _print_list("No answer yet. Missing:", missing)
        return
    _print_list("Missing:", missing)
    typer.echo()
    typer.echo("What other values that the files allow would change:")
    if rows := _costs(found):
        print_groups(COSTS, [Group("", rows)])
    for sentence in found.precision:
        print_text(sentence)
    print_advice(found.advice, notes(found.advice))
    best_bps = found.recommended_bps
    if best_bps is not None and found.is_expected_simulated:
        factor = times(best_bps / found.expected_bps)
        print_text(f"It predicts {best_bps / 1e6:.3g} Mbit/s, {factor} the simulated goodput.")
    typer.echo()
    print_text(found.answer)


def _print_list(heading: str, lines: Sequence[str]) -> None:
    if lines:
        typer.echo()
        typer.echo(heading)
    for line in lines:
        print_text(f"- {line}", hanging="  ")


def _costs(found: MeasuredLink) -> list[tuple[str, str, str]]:
    """Return the rows of the table; those without a goodput have nothing to say."""
    goodputs_bps = [found.expected_bps, *found.costs["goodput_bps"]]
    first, *shown = in_column(None if math.isnan(bps) else bps / 1e6 for bps in goodputs_bps)
    rows = [("as described", first, "")]
    for text, (name, words, _, change, half_width) in zip(
        shown, found.costs.itertuples(index=False), strict=True
    ):
        rows.append((f"{name}: {words}", text, _change(change, half_width)))
    return [row for row in rows if row[1]]


def _change(percent: float | None, half_width: float) -> str:
    """Return a change in per cent with its half-width, from a factor of two on as a factor."""
    if percent is None or math.isnan(percent):
        return ""
    if percent >= 100 or percent <= -50:
        return f"×{1 + percent / 100:.2g}"
    return f"{signed(percent)} ± {half_width:.1f} %" if half_width else f"{signed(percent)} %"
