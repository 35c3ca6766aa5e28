"""The engine `ns2`: a script, a run and what it printed for each replication."""

from __future__ import annotations

import os
import platform
from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.ns2 import output, process
from tcpgoodput.engines.ns2.durations import allowed_s, planned
from tcpgoodput.engines.ns2.refusals import refusal
from tcpgoodput.engines.ns2.script import script
from tcpgoodput.engines.observation import Observation
from tcpgoodput.engines.planning import Plan
from tcpgoodput.engines.referee import Referee
from tcpgoodput.scenario import Scenario, random_stream


class Ns2(Referee):
    """Debian's ns-2.35."""

    name = "ns2"
    title = "ns-2"

    @property
    def abreast(self) -> int:
        """Runs side by side: one on each core."""
        return len(os.sched_getaffinity(0))

    def missing(self) -> str | None:
        """Return that there is no ns-2.35 here and how to get it, or None."""
        return process.missing()

    def inexpressible(self, scenario: Scenario) -> str | None:
        """Return why a scenario cannot be put to ns-2, or None."""
        return refusal(scenario)

    def plan(self, scenario: Scenario, conditions: Conditions, packets: int | None = None) -> Plan:
        """Return the packet simulator's plan."""
        return planned(scenario, conditions, packets)

    def provenance(self) -> dict[str, Any]:
        """Return the program's version."""
        return {"ns2": process.VERSION, "kernel": platform.release(), "cores": self.abreast}

    def observe(
        self, scenario: Scenario, conditions: Conditions, replication: int, plan: Plan
    ) -> Observation:
        """Run one replication.

        Raises:
            Unavailable: ns-2 broke down, or what it printed is not what it should print.

        """
        written = script(scenario, random_stream(scenario, conditions.seed, replication), plan)
        printed = output.read(process.run(written.text, allowed_s(scenario, written)))
        if printed.crossed > written.covered:
            raise Unavailable("ns-2 sent more packets than the loss process was drawn for")
        return Observation(
            printed.measured_s,
            printed.acknowledged,
            packets_sent=printed.sent,
            retransmissions=printed.retransmitted,
            timeouts=printed.timeouts,
            fast_retransmits=printed.cuts - printed.timeouts,
            handoffs=written.handoffs,
        )
