"""The command line: models, predictions, measurements, scenarios with their defaults, checks."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tcpgoodput.checks import check_file
from tcpgoodput.comparison import compare
from tcpgoodput.configuration import ConfigurationError, Problem, refused
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.engines import ENGINES, REFERENCE, Engine, Unavailable
from tcpgoodput.engines.closeness import measured_closely
from tcpgoodput.engines.linux import PROFILES, Linux
from tcpgoodput.engines.planning import LONGEST_MEASURED_S
from tcpgoodput.models import MODELS, Conditions, Undefined
from tcpgoodput.scenario import load_scenario
from tcpgoodput.scenario.show import shown

app = typer.Typer(
    help="TCP goodput over wireless links: five studies' models on one scenario vocabulary.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

ScenarioFile = Annotated[Path, typer.Argument(metavar="SCENARIO.yaml", help="a scenario file")]
EquationsOption = Annotated[
    Literal["printed", "corrected"],
    typer.Option(help="as the sources printed them, or with their misprints repaired"),
]
AsJson = Annotated[bool, typer.Option("--json", help="machine-readable output")]


@app.command()
def models(as_json: AsJson = False) -> None:
    """List every model: its source, its inputs, where it is at home."""
    records = [
        {
            "name": model.name,
            "title": model.title,
            "source": model.source,
            "citation": model.citation,
            "inputs": list(model.inputs),
            "impairments": sorted(model.handles),
            "domain": model.domain,
        }
        for model in MODELS.values()
    ]
    if as_json:
        _print_json(records)
        return
    table = _table("model", "source", "cite", "inputs", "at home")
    for r in records:
        inputs = ", ".join(r["inputs"])
        table.add_row(r["name"], r["source"], r["citation"], inputs, r["domain"])
    _console().print(table)


@app.command()
def predict(
    scenario_file: ScenarioFile,
    model: Annotated[
        list[str] | None, typer.Option("--model", metavar="NAME", help="default: all models")
    ] = None,
    equations: EquationsOption = "corrected",
    as_json: AsJson = False,
) -> None:
    """Predict a scenario's goodput with every model, or with those named."""
    asked = model or MODELS.names()
    scenario = load_scenario(scenario_file)
    try:
        chosen = [MODELS[name] for name in dict.fromkeys(asked)]
    except LookupError as error:
        raise refused("--model", "", str(error)) from None
    conditions = Conditions(equations=equations)
    records = [m.predict(scenario, conditions).record() for m in chosen]
    if as_json:
        _print_json(records)
        return
    table = _table("model", "goodput, kbit/s", "utilisation", "status", "")
    for r in records:
        table.add_row(r["name"], *_numbers(r), r["status"], _how(r))
    console = _console()
    console.print(f"{scenario.id}: {scenario.title}", markup=False)
    console.print(table)


@app.command()
def simulate(
    scenario_file: ScenarioFile,
    engine: Annotated[str, typer.Option(metavar="NAME", help="what measures")] = "packet",
    replications: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100_000,
            metavar="N",
            help="exactly so many independent runs; default: as `compare` measures, 20 and, where "
            "their interval is wide, again with more packets; with --duration, or another "
            "engine: at most 20",
        ),
    ] = None,
    duration: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="measured seconds of each replication, after its warm-up; "
            "default: what the packets take that the interval needs",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="of all random numbers")] = 1,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="how Linux is set up; default: the scenario's variant decides"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a scenario's goodput, with its 95 % confidence interval."""
    scenario = load_scenario(scenario_file)
    if engine not in ENGINES:
        known = list(ENGINES)
        message = f"no engine is called {engine!r}{nearest(engine, known)} ({choices(known)})"
        raise refused("--engine", "", message)
    if duration is not None and not 0 < duration <= LONGEST_MEASURED_S:
        message = f"must be above 0 s and at most {LONGEST_MEASURED_S:g} s, is {duration:g}"
        raise refused("--duration", "", message)
    chosen = ENGINES[engine]
    if duration is not None and scenario.tcp.transfer_packets:
        raise refused("--duration", "", "a finite transfer is measured from its start to its end")
    if profile is not None:
        chosen = _set_up(chosen, profile)
    console, conditions = _console(), Conditions(seed=seed)
    try:
        with progress(as_json) as report:
            if engine == REFERENCE and replications is None and duration is None:
                measurement = measured_closely(scenario, conditions, report=report)
            else:
                measurement = chosen.measure(
                    scenario,
                    conditions,
                    replications=replications,
                    duration_s=duration,
                    report=report,
                )
    except Undefined as undefined:
        raise refused(scenario_file, "", str(undefined)) from None
    except Unavailable as unavailable:
        raise refused("--engine", "", str(unavailable)) from None
    record = measurement.record()
    if as_json:
        _print_json(record)
        return
    console.print(f"{scenario.id}: {scenario.title}", markup=False)
    table = _table("", "measured")
    for name, value in _told(record):
        table.add_row(name, value)
    console.print(table)
    if measurement.reason:
        console.print(f"Note: {measurement.reason}.", markup=False)


def _set_up(engine: Engine, profile: str) -> Engine:
    """Return the engine under one of its profiles."""
    if not isinstance(engine, Linux):
        raise refused("--profile", "", f"is for --engine linux, not {engine.name}")
    if profile not in PROFILES:
        known = list(PROFILES)
        message = f"no profile is called {profile!r}{nearest(profile, known)} ({choices(known)})"
        raise refused("--profile", "", message)
    return Linux(profile)


@app.command(name="compare")
def compare_models(
    scenario_file: ScenarioFile,
    equations: EquationsOption = "corrected",
    seed: Annotated[int, typer.Option(min=0, help="of all random numbers")] = 1,
    as_json: AsJson = False,
) -> None:
    """Put every model's goodput beside the measured one, those at home first."""
    scenario = load_scenario(scenario_file)
    with progress(as_json) as report:
        found = compare(scenario, Conditions(equations=equations, seed=seed), report=report)
    if as_json:
        _print_json(found)
        return
    console = _console()
    console.print(f"{scenario.id}: {scenario.title}", markup=False)
    table = _table("", "goodput, kbit/s", "utilisation", "to simulated", "status", "")
    if measured := found["simulation"]:
        goodput, utilisation = _told(measured)[:2]
        table.add_row("packet simulator", goodput[1], utilisation[1], "", "measured", "")
    order = ["native", "reduced", "out-of-domain", "undefined"]
    for r in sorted(found["models"], key=lambda record: order.index(record["status"])):
        error = "" if r["log_error"] is None else f"{100 * math.expm1(r['log_error']):+.1f} %"
        table.add_row(r["name"], *_numbers(r), error, r["status"], _how(r))
    console.print(table)
    if found["reason"]:
        console.print(f"Note: {found['reason']}.", markup=False)
    nearest_model = found["recommended"] or "none, no model is at home here: simulate"
    console.print(f"Recommended: {nearest_model}.", markup=False)


def _how(record: dict[str, Any]) -> str:
    """Return the reductions behind a prediction, and why it is not at home."""
    return ": ".join(part for part in (record["reduction"], record["reason"]) if part)


def _numbers(record: dict[str, Any]) -> tuple[str, str]:
    """Return a prediction's goodput and utilisation as a person reads them."""
    if record["goodput_bps"] is None:
        return "", ""
    return f"{record['goodput_bps'] / 1e3:.6g}", f"{record['utilisation']:.4f}"


TOLD_COUNTS = ("packets_sent", "retransmissions", "loss_events", "fast_retransmits", "timeouts")


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)


def _told(record: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the lines that a person reads of a measurement."""
    interval, rtt_s = record["ci95_bps"], record["mean_rtt_s"]
    window = record["mean_window_packets"]
    around = "no interval" if interval is None else f"± {interval / 1e3:.3g}"
    return [
        ("goodput, kbit/s", f"{record['goodput_bps'] / 1e3:.6g} {around}"),
        ("utilisation", f"{record['utilisation']:.4f}"),
        ("replications", f"{record['replications']} of {record['measured_s']:.4g} s"),
        *((name.replace("_", " "), _count(record[name])) for name in TOLD_COUNTS),
        ("mean window, packets", "-" if window is None else f"{window:.4g}"),
        ("mean round-trip time, s", "-" if rtt_s is None else f"{rtt_s:.4g}"),
        ("computed in, s", f"{record['wall_s']:.3g}"),
    ]


@app.command()
def show(scenario_file: ScenarioFile) -> None:
    """Print a scenario with every default filled in, as YAML that can be read again."""
    typer.echo(shown(load_scenario(scenario_file)), nl=False)


@app.command()
def check(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="scenario, figure, style or settings files; default: config/config.yaml "
            "and all that it names",
        ),
    ] = None,
) -> None:
    """Check configuration: file, line, key, what is allowed. Writes nothing."""
    problems: list[Problem] = []
    checked = files or [Path("config/config.yaml")]
    for file in checked:
        try:
            typer.echo(f"{file}: {check_file(file)}")
        except ConfigurationError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)


def _print_json(records: list[dict[str, Any]] | dict[str, Any]) -> None:
    typer.echo(json.dumps(records, indent=1, allow_nan=False, ensure_ascii=False))


@contextmanager
def progress(silent: bool) -> Iterator[Callable[[int, int], None]]:
    """Show how far a long measurement is, where there is a terminal to show it on."""
    error_console = Console(stderr=True)
    with Progress(console=error_console, transient=True, disable=silent) as bar:
        task = bar.add_task("replications", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for column in columns:
        right = column.startswith(("goodput", "utilisation", "measured", "to simulated"))
        table.add_column(column, justify="right" if right else "left", overflow="fold")
    return table


def _console() -> Console:
    """Return a console that does not cut lines short where there is no terminal."""
    return Console(width=None if sys.stdout.isatty() else 160, highlight=False)


def main() -> None:
    """Run the command line; bad input ends with one report and exit status 2."""
    try:
        app()
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
