"""Run the same connections in ns-2 and in the packet simulator, and record both goodputs.

python workflow/scripts/ns2/agreement.py [--share 1.0] FILE

The script writes one row for each case to FILE (CSV), and the provenance next to it (JSON). It
needs ns-2 (apt-get install ns2) and takes ten minutes. In ns-2, the ACK that ends recovery also
opens cwnd; in the packet simulator it does not. If this matters for a case, a second row compares
ns-2 with a copy of the packet simulator that is changed to do the same.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tcpgoodput
from tcpgoodput.engines import path_schedule
from tcpgoodput.engines.ns2.engine import allowed_s
from tcpgoodput.engines.ns2.process import read, run
from tcpgoodput.engines.ns2.script import first_ssthresh, script
from tcpgoodput.engines.planning import Plan
from tcpgoodput.engines.records import seal
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.statistics import Interval
from tcpgoodput.storage import csv_text

VARIANTS = ("oldtahoe", "tahoe", "reno", "newreno", "sack")
SEED = 1
REPLICATIONS = 20
WARM_UP_S = 100.0
AS_IS = "as it is"
HABIT = "the ACK that ends recovery opens the window, as in ns-2"
PRIORITY_FLOW = Path(__file__).with_name("priority_flow.tcl")
LINK = "$ns simplex-link $base $away $given(rate) 0 DropTail"
START = "$ns run"
FLOW_WITHIN_S = 3600.0
HABIT_FILE = "simulator/senders/reno.py"
HABIT_LINE = "        leave_recovery(s)\n"
HABIT_LINES = HABIT_LINE + "        open_window(s, newly_acked, now)\n"
FIELDS = ["case", "variant", "setting", "ours_pps", "ours_ci95", "ns2_pps", "ns2_ci95"]
FIELDS += ["ratio", "ratio_ci95", "replications", "measured_s"]


@dataclass(frozen=True)
class Case:
    """A connection to compare, described by keys of a scenario."""

    name: str
    variant: str
    parts: dict[str, Any] = field(default_factory=dict)
    measured_s: float = 2600.0
    replications: int = REPLICATIONS
    lose: tuple[int, ...] = ()
    """Numbers of the transmissions of data packets that are lost, in both simulators."""
    rate_bps: float = 1e7
    buffer: int | None = None

    @property
    def scenario(self) -> Scenario:
        """The connection as a scenario."""
        return Scenario.model_validate(
            {
                "id": "agreement",
                "title": self.name,
                "tcp": {"variant": self.variant, "mss_bytes": 1000, **self.parts.get("tcp", {})},
                "path": {
                    "rate_bps": self.rate_bps,
                    "forward_delay_s": 0.025,
                    "backward_delay_s": 0.025,
                    "buffer_packets": self.buffer,
                },
                **{key: part for key, part in self.parts.items() if key != "tcp"},
            }
        )

    def ours(self, replication: int) -> float:
        """Return the goodput of a replication in the packet simulator, in packets per second."""
        stream = random_stream(self.scenario, SEED, replication)
        simulation = Simulation(
            self.scenario,
            stream,
            phase=0.0,
            ssthresh_packets=first_ssthresh(self.scenario),
            lose=self.lose,
        )
        simulation.run(WARM_UP_S)
        before = simulation.counts.delivered
        simulation.run(WARM_UP_S + self.measured_s)
        return (simulation.counts.delivered - before) / self.measured_s

    def ns2(self, replication: int) -> float:
        """Return the goodput of a replication in ns-2, in packets per second."""
        stream = random_stream(self.scenario, SEED, replication)
        plan = Plan(self.replications, WARM_UP_S, 0.0, self.measured_s)
        written = script(self.scenario, stream, plan, self.lose)
        printed = read(run(written.text, allowed_s(self.scenario, written)))
        return printed.acknowledged / printed.measured_s


@dataclass(frozen=True)
class FlowCase(Case):
    """A connection whose capacity in ns-2 is the rate that a flow of higher priority leaves."""

    def ns2(self, replication: int) -> float:
        """Return the goodput of a replication in ns-2 with the flow, in packets per second."""
        stream = random_stream(self.scenario, SEED, replication)
        plan = Plan(self.replications, WARM_UP_S, 0.0, self.measured_s)
        full = self.scenario.model_copy(update={"capacity": None})
        written = script(full, stream, plan)
        steps = path_schedule.capacity_in_steps(self.scenario, stream, written.end_s)
        assert steps is not None
        taken = zip(steps.times_s, self.rate_bps - steps.rates_bps, strict=True)
        flow = "set flow {" + " ".join(f"{time_s} {bps}" for time_s, bps in taken) + "}\n"
        flow += f"set flow_period {steps.period_s}\n" + PRIORITY_FLOW.read_text(encoding="utf-8")
        text = replaced(written.text, LINK, LINK.replace("DropTail", "dsRED/edge"))
        text = replaced(text, START, f"{flow}{START}")
        printed = read(run(text, FLOW_WITHIN_S))
        return printed.acknowledged / printed.measured_s


def replaced(text: str, old: str, new: str) -> str:
    """Return `text` with the only occurrence of `old` replaced by `new`."""
    assert text.count(old) == 1
    return text.replace(old, new)


def independent(probability: float) -> dict[str, Any]:
    """Return the scenario keys of independent loss before the queue, as in ns-2."""
    return {"loss": {"process": "bernoulli", "probability": probability, "place": "before"}}


def cases() -> Iterator[Case]:
    """Yield all connections to compare."""
    for variant in VARIANTS:
        yield Case("drop-tail, 100 packets", variant, buffer=100, replications=1, measured_s=2000)
        for probability in (0.01, 0.05):
            name = f"independent loss, {100 * probability:g} %"
            yield Case(name, variant, independent(probability))
        chain = {"process": "gilbert-elliott", "good_to_bad": 0.00625, "bad_to_good": 0.625}
        parts = {"loss": {**chain, "clock": "packet", "place": "before"}}
        yield Case("bursts of 1.6 packets, 1 %", variant, parts)
    window = {"tcp": {"max_window_packets": 60}}
    for variant in ("reno", "newreno", "sack"):
        for hit in (1, 5, 10):
            numbers = tuple(n + k for n in range(4000, 10**6, 4000) for k in range(hit))
            name = f"hand-offs that lose {hit} packets"
            yield Case(name, variant, window, lose=numbers, replications=1, measured_s=800)
    still = {"mean_s": 3.0, "distribution": "constant"}
    intervals = {
        "every 12 s": {"distribution": "constant", "mean_s": 12.0},
        "exponential, 20 s": {"distribution": "exponential", "mean_s": 20.0},
        "uniform on 2-30 s": {"distribution": "uniform", "low_s": 2.0, "high_s": 30.0},
    }
    for name, law in intervals.items():
        parts = {**independent(0.01), "spikes": {"interval": law, "duration": still}}
        yield Case(f"spikes of 3 s, {name}", "sack", parts, rate_bps=2e5, measured_s=20_000)
    for frequency_hz in (0.1, 1.0, 5.0):
        sinusoid = {"process": "sinusoid", "min_bps": 2e6, "max_bps": 1e7}
        parts = {"capacity": {**sinusoid, "frequency_hz": frequency_hz}}
        name = f"C(t), sinusoid, {frequency_hz:g} Hz"
        yield Case(name, "sack", parts, buffer=60, replications=1, measured_s=1000)
        name += ", left by a priority flow"
        yield FlowCase(name, "sack", parts, buffer=60, replications=1, measured_s=1000)


def has_habit(case: Case) -> bool:
    """Whether the difference of ns-2 at the end of recovery can change the goodput of a case.

    In ns-2, the ACK that ends recovery also opens cwnd.
    """
    return case.variant in ("reno", "newreno") and case.replications > 1


def ours_with_habit(name: str, variant: str, share: float) -> list[float]:
    """Return the goodput of each replication in a packet simulator that ends recovery like ns-2.

    This is a changed copy of the packet simulator, in which the ACK that ends recovery opens cwnd.

    Args:
        name: name of the case.
        variant: TCP variant of the case.
        share: fraction of the case's measured time that is simulated.

    """
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder, "tcpgoodput")
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(Path(tcpgoodput.__file__).parent, package, ignore=ignored)
        file = package / HABIT_FILE
        text = file.read_text(encoding="utf-8")
        file.write_text(replaced(text, HABIT_LINE, HABIT_LINES), encoding="utf-8")
        command = [sys.executable, __file__, "--share", str(share), "--only", name, variant, "-"]
        environment = {**os.environ, "PYTHONPATH": folder}
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [float(value) for value in run.stdout.split()]


def measured(one: Callable[[int], float], replications: int) -> list[float]:
    """Return the goodput of each replication; all cores compute them in parallel.

    Args:
        one: function that returns the goodput of a replication, given its number from 0.
        replications: number of replications.

    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, range(replications)))


def row(case: Case, setting: str, ours: Interval, theirs: Interval) -> dict[str, Any]:
    """Return the CSV row of a case: both goodputs, their ratio, and the half-widths of intervals.

    Args:
        case: the connection.
        setting: which packet simulator is compared: `AS_IS`, or `HABIT`, changed to be like ns-2.
        ours: goodput in the packet simulator, in packets per second.
        theirs: goodput in ns-2, in packets per second.

    """
    ratio = ours.mean / theirs.mean
    widths = [i.half_width / i.mean for i in (ours, theirs)]
    known = case.replications > 1
    return {
        "case": case.name,
        "variant": case.variant,
        "setting": setting,
        "ours_pps": f"{ours.mean:.6g}",
        "ours_ci95": f"{ours.half_width:.3g}" if known else "",
        "ns2_pps": f"{theirs.mean:.6g}",
        "ns2_ci95": f"{theirs.half_width:.3g}" if known else "",
        "ratio": f"{ratio:.5f}",
        "ratio_ci95": f"{ratio * math.hypot(*widths):.5f}" if known else "",
        "replications": case.replications,
        "measured_s": f"{case.measured_s:g}",
    }


def _digest(*files: Path) -> str:
    content = b"".join(file.read_bytes() for file in files)
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def main() -> None:
    """Compare all cases, and write the table with its provenance."""
    parser = argparse.ArgumentParser(description="Compare the packet simulator with ns-2.")
    parser.add_argument("--share", type=float, default=1.0, help="of the measured time")
    parser.add_argument(
        "--only", nargs=2, metavar=("CASE", "VARIANT"), help="print only the simulator's goodputs"
    )
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    rows = []
    for whole in cases():
        case = replace(whole, measured_s=whole.measured_s * arguments.share)
        if arguments.only:
            if [case.name, case.variant] == arguments.only:
                print(*measured(case.ours, case.replications))
            continue
        theirs = Interval.of(measured(case.ns2, case.replications))
        values = {AS_IS: measured(case.ours, case.replications)}
        if has_habit(case):
            values[HABIT] = ours_with_habit(case.name, case.variant, arguments.share)
        for setting, ours in values.items():
            rows.append(row(case, setting, Interval.of(ours), theirs))
            shown = ("case", "variant", "ours_pps", "ns2_pps", "ratio", "ratio_ci95", "setting")
            print("  ".join(str(rows[-1][key]) for key in shown), flush=True)
    if arguments.only:
        return
    provenance = {
        "made_by": "python workflow/scripts/ns2/agreement.py",
        "share": arguments.share,
        "ns2": "2.35",
        "code": REFEREES["ns2"].code(),
        "script": _digest(Path(__file__), PRIORITY_FLOW),
        "tcpgoodput": version("tcpgoodput"),
        "kernel": platform.release(),
        "warm_up_s": WARM_UP_S,
    }
    seal(arguments.file, csv_text(FIELDS, rows), provenance)


if __name__ == "__main__":
    main()
