"""Engine `linux`: runs connections of the kernel in parallel, each in its own namespaces."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.linux.instructions import (
    DEFAULT_PROFILES,
    PROFILES,
    STACK_PROFILES,
    congestion_control,
    instructions,
    kernel_refusal,
)
from tcpgoodput.engines.linux.path import compiler, emulator
from tcpgoodput.engines.linux.run import carried_pps, observed
from tcpgoodput.engines.planning import BBR_PERIOD_S, Plan, seconds_per_event
from tcpgoodput.engines.referee import Referee
from tcpgoodput.engines.run import Observation
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.scenario.physics import mean_capacity_bps, window_limit_pps

REPLICATIONS = 6
"""Smallest number of runs whose range encloses the median with 95 % confidence."""

SHORTEST_WARM_UP_S, LONGEST_WARM_UP_S = 5.0, 20.0
WARM_UP_EVENTS = 6
"""Number of the path's own events, such as hand-offs, in the warm-up, unless it would then exceed
`LONGEST_WARM_UP_S`. Several events are needed, because slow start overshoots the window that
hand-offs allow, and each hand-off only halves the window."""

MEASURED_S = 25.0
MEASURED_S_OF_BBR = 6 * BBR_PERIOD_S
"""Smallest measured time of a BBR sender: six times its longest period. Chosen by hand."""

WARM_UP_ROUNDS, MEASURED_ROUNDS = 20, 100
"""Smallest warm-up and smallest measured time in round trips. The warm-up is limited to
`LONGEST_WARM_UP_S`, the measured time is not. Chosen by hand."""

FEWEST_EVENTS = 5
"""Smallest number of the path's own events, such as hand-offs, in the measured time. Chosen by
hand."""

LONGEST_OF_TRANSFERS = 20
"""Time limit of a finite transfer, relative to its duration at the path's full rate. Chosen by
hand."""

FLOWS_PER_CORE = 5
"""Number of slow connections that run in parallel per processor core; more connections would
disturb each other. Fast ones wait for each other: see `run.Room`."""

BASELINE_PLAN = Plan(1, 2.0, 0.0, 4.0)

TUN = Path("/dev/net/tun")
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


TOLERANCE = 0.03
"""Largest relative difference between a measured goodput and the known goodput of a test
connection. Beyond this difference, the check of the machine fails. Chosen by hand."""


@dataclass(frozen=True)
class Baseline:
    """A test connection, and the known goodput in packets per second that it must reach."""

    scenario: Scenario
    expected_pps: float

    def fault(self, measured_pps: float) -> str | None:
        """Return a message if a measured goodput differs from the expected one, else None."""
        if abs(measured_pps / self.expected_pps - 1) <= TOLERANCE:
            return None
        return (
            f"{self.scenario.title.lower()}: {measured_pps:.0f} packets/s instead of "
            f"{self.expected_pps:.0f}"
        )


def baselines() -> list[Baseline]:
    """Return two test connections, one limited by its window and one by the path's rate."""
    rate_bps, rtt_s, mss_bytes = 18.64e6, 0.1, 1448
    rate_pps = rate_bps / 8 / mss_bytes

    def connection(name: str, title: str, window: int) -> Scenario:
        tcp = {"variant": "newreno", "mss_bytes": mss_bytes, "max_window_packets": window}
        path = {"rate_bps": rate_bps, "forward_delay_s": 0.05, "backward_delay_s": 0.05}
        return Scenario.model_validate({"id": name, "title": title, "tcp": tcp, "path": path})

    window = 44
    return [
        Baseline(
            connection("window-limited", "A window of 44 packets alone", window),
            window / (rtt_s + 1 / rate_pps),
        ),
        Baseline(connection("rate-limited", "A rate of 18.64 Mbit/s alone", 300), rate_pps),
    ]


def largest_pps(scenario: Scenario) -> float:
    """Return the largest mean rate in packets/s at which a sender can send over the path.

    BBR sends at the largest delivery rate of ten round trips, the peak of a capacity that varies.
    """
    is_bbr = scenario.tcp.variant == "bbr"
    rate_bps = scenario.path.rate_bps if is_bbr else mean_capacity_bps(scenario)
    return min(rate_bps / scenario.packet_bits, window_limit_pps(scenario))


@dataclass(frozen=True)
class Linux(Referee):
    """Engine that runs the kernel's TCP between two network namespaces."""

    name = "linux"
    title = "Linux"

    profile: str | None = None
    """Name of a profile in `PROFILES`; None: the profile for the scenario's variant."""

    @property
    def parallel_runs(self) -> int:
        """The number of runs that this machine can do in parallel."""
        return FLOWS_PER_CORE * len(os.sched_getaffinity(0))

    def compile(self) -> None:
        """Compile the emulator of the path, a program in C."""
        emulator()

    def missing(self) -> str | None:
        """Return what this machine lacks to run the engine, and how to get it; None if nothing."""
        if not sys.platform.startswith("linux"):
            return (
                "the engine linux measures the kernel of a Linux machine; this machine does not "
                "run Linux"
            )
        if os.geteuid() != 0:
            return "the engine linux makes network namespaces: run it as root"
        if compiler() is None:
            return (
                "the engine linux compiles the emulator of its path: apt-get install gcc libc6-dev"
            )
        if not TUN.exists():
            return f"the engine linux needs {TUN}: modprobe tun, or allow the device"
        return None

    def own_refusal(self, scenario: Scenario) -> str | None:
        """Return why the kernel cannot run a scenario, or None if it can."""
        if reason := kernel_refusal(scenario, self.setting(scenario)):
            return reason
        control = congestion_control(scenario.tcp.variant)
        if AVAILABLE.exists() and control not in AVAILABLE.read_text(encoding="ascii").split():
            return f"this kernel has no congestion control {control}: modprobe tcp_{control}"
        return None

    def plan(self, scenario: Scenario, conditions: Conditions, packets: int | None = None) -> Plan:
        """Plan runs of half a minute, or longer if round trips are long or path events are rare."""
        del conditions, packets  # runs take real time, so they do not depend on the precision
        if scenario.tcp.transfer_packets is not None:
            longest_s = LONGEST_OF_TRANSFERS * scenario.tcp.transfer_packets / scenario.rate_pps
            return Plan(REPLICATIONS, 0.0, 0.0, max(MEASURED_S, longest_s))
        event_s, round_s = seconds_per_event(scenario), scenario.propagation_rtt_s
        settled_s = max(WARM_UP_EVENTS * event_s, WARM_UP_ROUNDS * round_s)
        warm_up_s = min(max(SHORTEST_WARM_UP_S, settled_s), LONGEST_WARM_UP_S)
        shortest_s = MEASURED_S_OF_BBR if scenario.tcp.variant == "bbr" else MEASURED_S
        measured_s = max(shortest_s, FEWEST_EVENTS * event_s, MEASURED_ROUNDS * round_s)
        return Plan(REPLICATIONS, warm_up_s, event_s, measured_s)

    def elapsed_s(self, scenario: Scenario, plan: Plan) -> float:
        """Return the time in seconds that runs by a plan take; packets are sent in real time.

        The test connections of `check` run at the same time. Transfers may end earlier.
        """
        abreast = max(1, min(self.parallel_runs, int(carried_pps() / largest_pps(scenario))))
        turns = math.ceil(plan.replications / abreast)
        checks_s = len(baselines()) * (BASELINE_PLAN.warm_up_s + BASELINE_PLAN.measured_s)
        return max(turns * (plan.warm_up_s + plan.measured_s), checks_s)

    def observe(
        self, scenario: Scenario, conditions: Conditions, replication: int, plan: Plan
    ) -> Observation:
        """Run one connection of the kernel over the emulated path; see `Referee.observe`."""
        stream = random_stream(scenario, conditions.seed, replication)
        text = instructions(scenario, self.setting(scenario), stream, plan)
        took_s, mss_bytes = plan.warm_up_s + plan.measured_s, scenario.tcp.mss_bytes
        return observed(text, took_s, mss_bytes, largest_pps(scenario))

    def check(self, conditions: Conditions) -> dict[str, float]:
        """Measure the test connections of known goodput; see `Referee.check`."""
        found = {}
        for baseline in baselines():
            seen = self.observe(baseline.scenario, conditions, 0, BASELINE_PLAN)
            if fault := baseline.fault(seen.goodput_pps):
                raise Unavailable(f"the machine does not carry {fault}")
            found[baseline.scenario.id] = seen.goodput_pps / baseline.expected_pps
        return found

    def setting(self, scenario: Scenario) -> str:
        """Return the name of the profile of kernel settings for a scenario."""
        of_variant = STACK_PROFILES if scenario.tcp.stack else DEFAULT_PROFILES
        return self.profile or of_variant.get(scenario.tcp.variant, "newreno")

    def provenance(self) -> dict[str, Any]:
        """Return the version of the kernel, the profiles, and the compiler of the emulator."""
        version = subprocess.run(
            [str(compiler()), "--version"], capture_output=True, text=True, check=False
        )
        return {
            "kernel": platform.release(),
            "profiles": {name: dict(profile) for name, profile in PROFILES.items()},
            "compiler": version.stdout.splitlines()[0],
            "flows_abreast": self.parallel_runs,
            "cores": len(os.sched_getaffinity(0)),
        }
