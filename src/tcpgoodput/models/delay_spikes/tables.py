"""Table 1 of the study: the equations of a cycle, in symbols and in numbers for scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tcpgoodput.models.delay_spikes.connection import loss_probability, round_trip_s
from tcpgoodput.models.delay_spikes.cycles import cycle
from tcpgoodput.models.registry import table
from tcpgoodput.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

MODE_NAMES = {1: "pure saw-tooth", 2: "cut saw-tooth", 3: "rate limited"}


@table("delay_spikes")
def modes() -> pd.DataFrame:
    """Return Table 1 in symbols; columns: `mode`, `condition`, `tau_ca`, `tau_ss`, `beta`."""
    import pandas as pd

    conditions = {
        1: "$0 \\leq x_0^{(1)} < C_{\\mathrm{max}}/2$",
        2: "$C_{\\mathrm{max}}/2 \\leq x_0^{(2)} < C_{\\mathrm{max}}$",
        3: "otherwise: $p \\leq 1/(R \\, C_{\\mathrm{max}}^2)$",
    }
    windows = {1: "2 x_0^{(1)} R", 2: "C_{\\mathrm{max}} R", 3: "C_{\\mathrm{max}} R"}
    rows = [
        {
            "mode": f"{number} {name}",
            "condition": conditions[number],
            "tau_ca": f"(14), case {number}",
            "tau_ss": f"({15 + number})",
            "beta": f"$\\beta({windows[number]}, p)$",
        }
        for number, name in MODE_NAMES.items()
    ]
    return pd.DataFrame(rows)


@table("delay_spikes")
def cycle_constants(scenarios: dict[str, Scenario]) -> pd.DataFrame:
    """Return Table 1 in numbers for lossy scenarios.

    Columns: `title`, `max_rate_pps`, `rtt_s`, `loss`, `mode`, `start_pps` (x₀), `tau_ca_s`,
    `tau_ss_without_timeout_s` (τ_SS − TO), `window_packets` (w), `beta`.
    """
    import pandas as pd

    rows = []
    for scenario in scenarios.values():
        p, rtt_s = loss_probability(scenario), round_trip_s(scenario)
        means = cycle(p, rtt_s, scenario.rate_pps, scenario.timeout_s)
        rows.append(
            {
                "title": scenario.title,
                "max_rate_pps": scenario.rate_pps,
                "rtt_s": rtt_s,
                "loss": p,
                "mode": f"{means.mode} {MODE_NAMES[means.mode]}",
                "start_pps": means.start_pps,
                "tau_ca_s": means.avoidance_s,
                "tau_ss_without_timeout_s": means.slow_start_s - scenario.timeout_s,
                "window_packets": means.window_packets,
                "beta": means.timeout_probability,
            }
        )
    return pd.DataFrame(rows)
