"""What each input of a prediction costs for one connection: without it, and with a wrong value."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answers import prediction_records
from tcpgoodput.comparison.census.expected import advice_for
from tcpgoodput.comparison.errors import log_error, per_cent
from tcpgoodput.comparison.inputs import INPUTS, MEANINGS, Assumed, Changes, without
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.measurements import connection_of
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.content import at_key
from tcpgoodput.scenario.loss import Bernoulli, GilbertElliott, Periodic

DURATION_KEYS = ("mean_s", "low_s", "high_s", "mean0_s", "mean1_s")
"""Keys of a duration's distribution that scale together."""

RATE_KEYS = ("path.rate_bps", *(f"capacity.{end}_bps" for end in ("min", "max", "peak", "mean")))
"""Keys that scale together if the rate of the link is misjudged. The rates of a trace stay."""

OTHER_KEYS: dict[str, tuple[str, ...]] = {
    "receiver window": ("tcp.max_window_packets",),
    "smallest timeout": ("tcp.rto.min_s",),
    "buffer": ("path.buffer_packets",),
    "share of failed frames": ("arq.error", "arq.error.good_to_bad"),
    "time to a repeated frame": ("arq.turnaround_s",),
    "time between delay spikes": tuple(f"spikes.interval.{end}" for end in DURATION_KEYS),
    "length of delay spikes": tuple(f"spikes.duration.{end}" for end in DURATION_KEYS),
    "time between hand-offs": ("handoffs.interval_s",),
    "packets per hand-off": ("handoffs.packets",),
    "delay of late packets": ("handoffs.late_s",),
    "length of the transfer": ("tcp.transfer_packets",),
}
"""Further inputs that may be misjudged, each with its scenario keys, which scale together."""

EVERYTHING = "all inputs"

RETRANSMISSIONS = "link retransmission"
"""Further input that may not be measured: that the link repeats frames. `INPUTS` does not have it,
because no random connection has such a link."""

NOT_MEASURED = frozenset({*INPUTS, RETRANSMISSIONS})
"""Names of the inputs that are left out."""


SHARE = 0.2
"""Relative error of a misjudged loss or round trip, in both directions. Chosen by hand."""

FACTORS = {"over": 1 + SHARE, "under": 1 - SHARE}


def misjudged(scenario: Scenario) -> dict[str, Scenario]:
    """Return copies of a scenario with the round trip or the loss 20 % too large or too small.

    The keys are `rtt-over`, `rtt-under`, `loss-over` and `loss-under`. For bursty loss, the
    probability of a burst is changed. Copies whose probability would be 1 or more are left out.
    """
    path, loss = scenario.path, scenario.loss
    found = {}
    for name, factor in FACTORS.items():
        delays = {
            "path.forward_delay_s": factor * path.forward_delay_s,
            "path.backward_delay_s": factor * path.backward_delay_s,
        }
        found[f"rtt-{name}"] = override(scenario, delays)
        match loss:
            case Bernoulli(probability=p) | Periodic(probability=p) if factor * p < 1:
                found[f"loss-{name}"] = override(scenario, {"loss.probability": factor * p})
            case GilbertElliott(good_to_bad=alpha) if factor * alpha < 1:
                found[f"loss-{name}"] = override(scenario, {"loss.good_to_bad": factor * alpha})
    return found


def input_costs(
    scenario: Scenario, conditions: Conditions, measured: Measurement | None = None
) -> list[dict[str, Any]]:
    """Return what is predicted for a connection with all inputs, and without or with wrong ones.

    The prediction is that of the model in domain with the smallest expected error; see
    `census.expected.advice_for`. It is chosen for the connection as it is seen, so another input
    may lead to another model. `measured` is the simulated goodput, if there is one.

    Each row has `input` (`all inputs` in the first one), `assumption` in words, `model`, `status`,
    `goodput_bps`, `change_%`: 100 ln(goodput / goodput with all inputs), `error_%`: 100 ln(goodput
    / simulated goodput), and `no_effect`: whether the assumption is what the scenario has. Without
    a model in domain, the model and its values are None. Assumptions that make an invalid scenario
    have no row.
    """
    truth_pps = measured.goodput_pps if measured else None
    content = connection_of(scenario)
    best: float | None = None
    found = []
    for name, assumption, seen in [(EVERYTHING, "", scenario), *_seen(scenario)]:
        records = prediction_records(seen, conditions)
        advice = advice_for(seen, records).models
        chosen = next((r for r in records if advice and r["name"] == advice[0].name), {})
        pps = chosen.get("goodput_pps")
        if name == EVERYTHING:
            best = pps
        found.append(
            {
                "input": name,
                "assumption": assumption,
                "model": chosen.get("name"),
                "status": chosen.get("status"),
                "goodput_bps": chosen.get("goodput_bps"),
                "change_%": _per_cent(log_error(pps, best)),
                "error_%": _per_cent(log_error(pps, truth_pps)),
                "no_effect": name != EVERYTHING and connection_of(seen) == content,
            }
        )
    return found


def _per_cent(error: float | None) -> float | None:
    return None if error is None else per_cent(error)


def _seen(scenario: Scenario) -> Iterator[tuple[str, str, Scenario]]:
    """Yield the name of each input, the assumption in words, and the connection as it is seen."""
    ends = {"over": f"{100 * SHARE:g} % too large", "under": f"{100 * SHARE:g} % too small"}
    assumed = Assumed(SHARE)
    for name in INPUTS:
        try:
            seen = without(scenario, [name], assumed)
        except ValueError:
            continue
        words = list(ends.values()) if len(seen) > 1 else [""]
        for one, end in zip(seen, words, strict=True):
            yield name, f"{MEANINGS[name]}{', ' if end else ''}{end}", one
    if scenario.arq is not None:
        seen_without = override(scenario, {"arq": None})
        yield RETRANSMISSIONS, "a link that repeats no frame assumed", seen_without
    for end, seen_wrong in misjudged(scenario).items():
        if end.startswith("loss-"):
            yield "loss", f"loss {ends[end.removeprefix('loss-')]}", seen_wrong
    for what, error, changes in _scaled(scenario, ends):
        with contextlib.suppress(ValueError):
            yield what, f"{what} {error}", override(scenario, changes)


def _scaled(scenario: Scenario, ends: Mapping[str, str]) -> Iterator[tuple[str, str, Changes]]:
    """Yield each input, how wrong its value is in words, and the changes that make it so wrong.

    `ends` has the words for each key of `FACTORS`. A number of packets stays a whole number. If
    that is the old one, nothing is yielded. If it is wrong by another share than `SHARE`, the words
    are both numbers.
    """
    stated = scenario.model_dump()
    groups = {"rate": RATE_KEYS, **OTHER_KEYS}
    if at_key(stated, "capacity.file"):
        del groups["rate"]
    for name, keys in groups.items():
        values = {key: at_key(stated, key) for key in keys}
        known = {key: value for key, value in values.items() if isinstance(value, int | float)}
        if not any(known.values()):
            continue
        for end, factor in FACTORS.items():
            error = ends[end]
            changes = {key: value * factor for key, value in known.items()}
            for key, value in known.items():
                if isinstance(value, int):  # the only key of its input
                    used = changes[key] = max(1, round(value * factor))
                    if round(100 * abs(used / value - 1)) != 100 * SHARE:
                        error = f"{used} in place of {value}"
            if changes != known:
                yield name, error, changes


def costliest(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the row with the largest change of the prediction; None if no prediction changes."""
    changed = [r for r in rows if r["change_%"] and r["input"] != EVERYTHING]
    return max(changed, key=lambda r: abs(r["change_%"]), default=None)
