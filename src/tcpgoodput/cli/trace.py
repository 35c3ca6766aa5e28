"""The command `tcpgoodput trace`: describes a recorded link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tcpgoodput.cli.output import AsJson, check_place, known, print_json, print_pairs, print_text
from tcpgoodput.cli.stated_link import ROUND_TRIP, number_of
from tcpgoodput.configuration import refused
from tcpgoodput.configuration.strict_yaml import YAML_SUFFIXES
from tcpgoodput.project.settings import DEFAULT_PATH

if TYPE_CHECKING:
    from tcpgoodput.studies.recordings.facts import Facts
    from tcpgoodput.studies.recordings.recording import Recording

FORMS = ("capacity", "delay", "scenarios")
PARTS = ("whole", "first", "second")
PICTURES = (".pdf", ".png")

TIME_UNITS = ("s", "ms", "us", "ns", "min", "h", "d")
STAMPS = ("start", "end")
MISSING = ("hold", "zero", "drop")

BIN_S = 0.02
ROUND_TRIP_S = 0.04
SILENT_ROUND_TRIPS = 5
LEAST_SILENCE_S = 0.2
"""Shortest silence (gap without packets) that can cause a timeout, in seconds: the smallest RTO of
ns-2.35 and Linux."""

HALVES_APART = 2
"""Smallest ratio of the mean rates of a recording's halves that is reported, chosen by hand."""

LONGEST_S = 3600.0

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="a Mahimahi file (a line for each packet of 1500 bytes that could leave, with its "
        "millisecond), or a table with a column of times and one of rates (CSV, or two columns of "
        "seconds and Mbit/s); plain, or packed by gzip, bzip2 or xz",
    ),
]
Delay = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="one-way delays of the link: a line for each 10 ms, in milliseconds"
    ),
]
Form = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="FORM",
        help="write capacity or delay (a CSV file for these keys of a scenario) or scenarios (YAML "
        "files that describe the link in the terms of models); default: print the statistics of "
        "the link",
        autocompletion=lambda: list(FORMS),
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="name or number of the table's column of times"),
]
RateColumn = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="name or number of the table's column of rates"),
]
TimeUnit = Annotated[
    str | None, typer.Option(metavar="UNIT", help=f"unit of the times: {', '.join(TIME_UNITS)}")
]
RateUnit = Annotated[
    str | None,
    typer.Option(
        metavar="UNIT",
        help="unit of the rates: Mbit/s, kbit/s, bit/s, Mbyte/s and so on; or byte, kbyte, bit and "
        "so on for amounts of data since the row before",
    ),
]
Every = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="time between the rows of a table without times"),
]
Stamp = Annotated[
    str | None,
    typer.Option(
        metavar="STAMP",
        help="whether the time in a row of a table is the start or the end of the interval of its "
        "rate; default: start, or end for amounts of data",
        autocompletion=lambda: list(STAMPS),
    ),
]
MissingRates = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT",
        help="what to do with rows of a table without a rate (empty, - or nan): hold the rate of "
        "the row before, take zero, or drop the row; default: refuse the table",
        autocompletion=lambda: list(MISSING),
    ),
]
LongestGap = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="longest time for which a rate of a table may hold if rows are missing; default: ten "
        "times the median time between rows",
    ),
]
RoundTrip = Annotated[
    str | None,
    typer.Option(
        ROUND_TRIP,
        metavar="TIME",
        help=f"round trip of the connections, such as 60ms or 0.06; default: {ROUND_TRIP_S:g} s, "
        "or with --delay twice the median",
    ),
]
Part = Annotated[
    str | None,
    typer.Option(
        metavar="PART",
        help=f"part of the recording to use: {', '.join(PARTS)} (halves); default: whole, but "
        "first for scenarios, so that the second half can be used to judge the models",
        autocompletion=lambda: list(PARTS),
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="PATH",
        help="file for the capacity or delay (default: standard output), or folder for the "
        "scenarios (default: the current one)",
    ),
]
PictureFile = Annotated[
    Path | None,
    typer.Option("--picture", metavar="FILE", help="draw the link into a new .pdf or .png file"),
]


def trace(
    file: File,
    delay: Delay = None,
    time_column: TimeColumn = None,
    time_unit: TimeUnit = None,
    rate_column: RateColumn = None,
    rate_unit: RateUnit = None,
    every: Every = None,
    stamp: Stamp = None,
    missing: MissingRates = None,
    longest_gap: LongestGap = None,
    form: Form = None,
    rtt: RoundTrip = None,
    part: Part = None,
    output: Output = None,
    picture: PictureFile = None,
    as_json: AsJson = False,
) -> None:
    """Print the statistics of a recorded link, or write scenarios.

    The scenarios describe the link for the models and for the simulator.
    """
    rtt_s = None if rtt is None else number_of(ROUND_TRIP, rtt)
    check_durations({"--longest-gap": longest_gap, "--every": every})
    if form is not None:
        known("--as", "form", form, FORMS)
    if stamp is not None:
        known("--stamp", "stamp", stamp, STAMPS)
    if missing is not None:
        known("--missing", "way", missing, MISSING)
    part = known("--part", "part", part or ("first" if form == "scenarios" else "whole"), PARTS)
    if form and as_json:
        raise refused("--json", "", "prints statistics of the link, and is not for use with --as")
    if output and not form:
        raise refused("--output", "", f"is for use with --as ({', '.join(FORMS)})")
    if form == "delay" and delay is None:
        raise refused("--as", "", "delay needs the file of the delays: --delay")
    _check_places(form, output, picture, [file, delay])
    if file.suffix in YAML_SUFFIXES and file.exists():
        readers = "predict, simulate and compare read scenarios"
        raise refused(file, "", f"is a YAML file, not a recorded link; {readers}")

    # Import these modules only here: they read recordings, which no other command does.
    from tcpgoodput.studies.recordings.columns import TableColumns
    from tcpgoodput.studies.recordings.facts import facts_of
    from tcpgoodput.studies.recordings.files import read_recording
    from tcpgoodput.studies.recordings.views import capacity_csv, delay_csv

    columns = TableColumns(
        time_column=time_column,
        rate_column=rate_column,
        time_unit=time_unit,
        rate_unit=rate_unit,
        longest_gap_s=longest_gap,
        every_s=every,
        stamp=stamp,
        missing=missing,
    )
    whole = read_recording(file, delay, columns)
    if whole.understood:
        print_text(f"{file}: {whole.understood}", err=True)
    recording = _part(whole, part)
    if form == "scenarios" and part != "whole":
        _compare_halves(whole, part)
    round_trip_s = rtt_s or _round_trip_s(recording)
    silence_s = max(SILENT_ROUND_TRIPS * round_trip_s, LEAST_SILENCE_S)
    bin_s = max(BIN_S, recording.step_s)
    facts = facts_of(recording, round_trip_s=round_trip_s, silence_s=silence_s, bin_s=bin_s)
    if form in ("capacity", "delay"):
        is_capacity = form == "capacity"
        lines = capacity_csv(*recording.steps(BIN_S)) if is_capacity else delay_csv(recording)
        if output is None:
            typer.echo("".join(lines), nl=False)
        else:
            write_new({output: "".join(lines)}, "file")
    elif form == "scenarios":
        _write_scenarios(facts, part, output or Path())
    elif as_json:
        print_json(facts.record())
    else:
        _print_statistics(facts, part)
    if picture:
        _draw(facts, picture)


def _check_places(
    form: str | None, output: Path | None, picture: Path | None, recorded: Sequence[Path | None]
) -> None:
    """Refuse output files that cannot be written or are recorded, before anything is read."""
    if picture and picture.suffix not in PICTURES:
        raise refused("--picture", "", f"{picture} must end in {' or '.join(PICTURES)}")
    if picture:
        check_place("--picture", picture)
        if picture.exists():
            raise refused("--picture", "", f"{picture} is there: remove it, or name another file")
    if output and form == "scenarios" and output.exists() and not output.is_dir():
        raise refused("--output", "", f"{output} is a file; scenarios are several: name a folder")
    if output:
        is_folder = form == "scenarios" and output.is_dir()
        check_place("--output", output / "NAME.yaml" if is_folder else output)

    for file in recorded:
        if output and file and output.exists() and file.exists() and output.samefile(file):
            raise refused("--output", "", f"{output} is the recording itself: name another file")


def check_durations(options: Mapping[str, float | None]) -> None:
    """Refuse an option in seconds, by name, whose value is too short, too long or no number."""
    for option, value in options.items():
        if value is not None and not 1e-4 <= value <= LONGEST_S:
            raise refused(option, "", f"is {value:g} s; 0.0001 to {LONGEST_S:g} s are allowed")


def _part(recording: Recording, part: str) -> Recording:
    if part == "whole":
        return recording
    half = recording.half(PARTS.index(part) - 1)
    if half.bits == 0:
        message = f"nothing can leave in the {part} half of {recording.name}; take --part whole"
        raise refused("--part", "", message)
    return half


def _compare_halves(whole: Recording, part: str) -> None:
    """Say if the halves differ much, because scenarios of one half do not describe the other."""
    first_bps, second_bps = (whole.half(number).mean_bps for number in (0, 1))
    if max(first_bps, second_bps) >= HALVES_APART * min(first_bps, second_bps):
        print_text(
            f"Note: the mean rate is {_mbps(first_bps)} Mbit/s in the first half and "
            f"{_mbps(second_bps)} Mbit/s in the second. The scenarios describe the {part} half "
            "only; --part whole uses both.",
            err=True,
        )


def _round_trip_s(recording: Recording) -> float:
    import numpy as np

    delays = recording.delays_s
    if delays is None or not np.median(delays):
        return ROUND_TRIP_S
    return 2 * float(np.median(delays))


def _draw(facts: Facts, picture: Path) -> None:
    from tcpgoodput.drawing import link, theme
    from tcpgoodput.style import load_style

    file = DEFAULT_PATH.with_name("style.yaml")
    style = load_style(file) if file.is_file() else link.PLAIN
    theme.apply(style)
    files = theme.rendered(link.draw(facts, style), [picture.suffix])
    theme.keep(files, picture.with_suffix(""))
    print_text(f"{picture}: written", err=True)


def write_new(texts: Mapping[Path, str], place: str) -> None:
    """Write texts to files; refuse if one of the files exists with other content."""
    from tcpgoodput.storage import write_text

    for file, text in texts.items():
        if file.is_file() and file.read_bytes() != text.encode():
            message = f"{file} is there and has other content: remove it, or name another {place}"
            raise refused("--output", "", message)
    for file, text in texts.items():
        write_text(file, text)


def _write_scenarios(facts: Facts, part: str, folder: Path) -> None:
    from tcpgoodput.studies.recordings.views import Missing, scenario_yaml, views_of

    recording = facts.recording
    which = "whole recording" if part == "whole" else f"{part} half"
    origin = f"From the {which} of {recording.name} (SHA-256 {recording.sha256}), by `tcpgoodput "
    origin += "trace`."
    views = views_of(facts, which)
    texts = {
        folder / f"{view.scenario.id}.yaml": scenario_yaml(view, origin)
        for view in views
        if not isinstance(view, Missing)
    }
    write_new(texts, "folder")
    for view in views:
        if isinstance(view, Missing):
            print_text(f"No {view.name}: {view.reason}.")
    for file in texts:
        typer.echo(file)


def _print_statistics(facts: Facts, part: str) -> None:
    which = "" if part == "whole" else f", {part} half"
    print_text(f"{facts.recording.name}{which}: SHA-256 {facts.recording.sha256}")
    print_pairs(list(_statistics(facts).items()))
    if facts.recording.delays_s is not None and facts.handoffs is None:
        print_text("Note: the one-way delay has too few peaks to detect hand-offs.")


def _mbps(rate_bps: float) -> str:
    return f"{rate_bps / 1e6:.4g}"


def _statistics(facts: Facts) -> dict[str, str]:
    """Return the statistics that the link has, as texts by their names."""
    r = facts.record()
    rates = ", ".join(_mbps(r[f"p{n}_bps"]) for n in (5, 25, 50, 75, 95))
    round_trips = r["silence_s"] / r["round_trip_s"]
    words = {"length": f"{r['length_s']:g} s"}
    if r["packets"]:
        words["packets of 1500 bytes"] = f"{r['packets']}"
    words |= {
        "mean rate": f"{_mbps(r['mean_bps'])} Mbit/s",
        "rate at 5, 25, 50, 75, 95 %": f"{rates} Mbit/s in bins of {r['bin_s']:g} s",
        "highest rate": f"{_mbps(r['peak_bps'])} Mbit/s in these bins",
        "silences": f"{r['silences']} of {r['silence_s']:g} s and more "
        f"({round_trips:.3g} round trips)",
        "time in silences": f"{100 * r['silent_share']:.3g} %",
        "silences of 1 s and more": f"{r['at_least_1_s']}",
        "longest silence": f"{r['longest_silence_s']:g} s",
        "standard deviation": f"{round(r['variation'], 9):.3g} of the mean, with silences, in bins "
        f"of {r['changes_bin_s']:.3g} s",
    }
    if r["dominant_hz"] is None:
        words["changes of the rate"] = "none except by rounding"
    else:
        coherence_s = r["coherence_s"]
        is_long = coherence_s is None
        coherence = "longer than a quarter of the recording" if is_long else f"{coherence_s:.3g} s"
        correlation = f"{1 - r['uncorrelated_share']:.3f} from one bin to the next"
        words |= {
            "autocorrelation of the rate": correlation,
            "coherence time": f"{coherence} (autocorrelation 0.1)",
            "dominant frequency": f"{r['dominant_hz']:.3g} Hz (most variance per octave)",
        }
    # The last bin is left out of the statistics if it is shorter than the others.
    bins_s = dict.fromkeys((r["bin_s"], r["changes_bin_s"]))
    rests_s = {bin_s: facts.recording.left_out_s(bin_s) for bin_s in bins_s}
    if rests := [f"{rest_s:.3g} s of {bin_s:.3g} s" for bin_s, rest_s in rests_s.items() if rest_s]:
        words["shorter last bin"] = f"{', '.join(rests)}, left out"
    if r["handoffs"]:
        words |= {
            "one-way delay": f"{1e3 * r['base_delay_s']:.3g} ms",
            "hand-offs": f"{r['handoffs']}, one every {r['handoff_interval_s']:g} s",
            "one-way delay at a hand-off": f"{1e3 * r['handoff_peak_s']:.3g} ms (median of the "
            "peaks)",
        }
    return words
