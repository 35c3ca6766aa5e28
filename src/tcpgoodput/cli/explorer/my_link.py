"""The page's form "My link", for a link of which only a few numbers are known.

The form changes keys of the scenario `NAME`. This is the link of `tcpgoodput predict` with the
options `--rate`, `--rtt` and `--loss`, whose units and limits the form has, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from tcpgoodput.cli.stated_link import LOSS, QUANTITIES, RATE, ROUND_TRIP, StatedLink, number_of
from tcpgoodput.configuration import ConfigurationError, Document, refused
from tcpgoodput.configuration.units import hint_of_point, plain
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import Bernoulli, NoLoss
from tcpgoodput.studies.recordings.views import buffer_packets

Record = dict[str, Any]

NAME, TITLE = "my-link", "My link"
"""Id and title of the scenario."""

EXAMPLE = StatedLink("20 Mbit/s", "60 ms", "1 %")
"""The link that the form shows at first."""


class Number(NamedTuple):
    """A field of the form for a number."""

    label: str
    option: str
    """The command-line option with the same units and limits."""
    unit: str
    """Unit of a number without a unit."""
    size: float
    """The unit of the field in the unit of the option."""


NUMBERS = {
    "rate": Number("Rate", RATE, "Mbit/s", 1e6),
    "rtt": Number("Round trip without load", ROUND_TRIP, "ms", 1e-3),
    "loss": Number("Lost packets", LOSS, "%", 1e-2),
}

BUFFER, SENDER = "buffer", "sender"

ENDLESS = "endless"
"""Text of the field `buffer` for a buffer without a limit."""

LINUX = "linux-6.18"

SENDERS = {
    "cubic": ("CUBIC, the default of Linux", {"variant": "cubic", "stack": LINUX}),
    "reno": ("Reno with SACK, of Linux", {"variant": "sack", "stack": LINUX}),
    "bbr": ("BBR, of Linux", {"variant": "bbr", "stack": LINUX}),
    "newreno": ("NewReno, as in the RFCs", {"variant": "newreno", "stack": None}),
}
"""Senders of the form: a label, and the keys of `tcp` that select the sender."""

KEYS = (
    *("path.rate_bps", "path.forward_delay_s", "path.backward_delay_s", "path.buffer_packets"),
    *("loss", "tcp.variant", "tcp.stack"),
)
"""Keys of the scenario that the form changes."""


def has_key(key: str) -> bool:
    """Return whether a key is one of the form's, or lies within one, such as `loss.probability`."""
    return any(key == own or key.startswith(f"{own}.") for own in KEYS)


def document(title: str = TITLE) -> Document:
    """Return the scenario before any change."""
    link = EXAMPLE.document()
    return replace(link, data={**link.data, "id": NAME, "title": title})


def example() -> Document:
    """Return the scenario for a page without the form: its title has the numbers."""
    words = ", ".join(EXAMPLE.options.values())
    return document(f"CUBIC of Linux over {words} loss")


def form() -> Record:
    """Return what the page needs to draw the form: labels, units, senders."""
    numbers = [{"id": name, "label": n.label, "unit": n.unit} for name, n in NUMBERS.items()]
    senders = [[name, label] for name, (label, _) in SENDERS.items()]
    return {"scenario": NAME, "numbers": numbers, "senders": senders}


def texts_of(scenario: Scenario) -> dict[str, str | None]:
    """Return the texts of the form's fields for a scenario.

    A text is None if the form cannot express the scenario's value, such as bursts of loss. It is
    empty for a buffer of one bandwidth-delay product.
    """
    path, loss = scenario.path, scenario.loss
    values: dict[str, float | None] = {
        "rate": path.rate_bps,
        "rtt": scenario.propagation_rtt_s,
        "loss": 0.0 if isinstance(loss, NoLoss) else None,
    }
    if isinstance(loss, Bernoulli):
        values["loss"] = loss.probability
    product = buffer_packets(path.rate_bps, scenario.propagation_rtt_s, 1.0)
    tcp = {"variant": scenario.tcp.variant, "stack": scenario.tcp.stack}
    buffer = ENDLESS if path.buffer_packets is None else str(path.buffer_packets)
    return {
        **{n: None if v is None else plain(v / NUMBERS[n].size) for n, v in values.items()},
        BUFFER: "" if path.buffer_packets == product else buffer,
        SENDER: next((name for name, (_, keys) in SENDERS.items() if keys == tcp), None),
    }


def changes_of(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of the scenario with their new values as texts, for the form's texts.

    If the fields `loss` or `sender` are missing, their keys are not changed.
    """
    rate_bps, rtt_s = (number_in_field(name, texts.get(name, "")) for name in ("rate", "rtt"))
    changes = {
        "path.rate_bps": plain(rate_bps),
        "path.forward_delay_s": plain(rtt_s / 2),
        "path.backward_delay_s": plain(rtt_s / 2),
        "path.buffer_packets": _buffer(texts.get(BUFFER, ""), rate_bps, rtt_s),
    }
    if "loss" in texts:
        probability = number_in_field("loss", texts["loss"])
        loss = {"process": "bernoulli", "probability": probability}
        changes["loss"] = json.dumps(loss if probability else {"process": "none"})
    if texts.get(SENDER) in SENDERS:
        _, keys = SENDERS[texts[SENDER]]
        changes |= {f"tcp.{name}": value or "null" for name, value in keys.items()}
    return changes


def number_in_field(name: str, text: str) -> float:
    """Return the number in a field, in the unit of its key."""
    label, option, unit, size = NUMBERS[name]
    given = text.strip()
    try:
        return number_of(option, f"{given} {unit}" if _is_number(given) else given)
    except ConfigurationError:
        limits = QUANTITIES[option]
        bounds = limits.least, limits.most, number_of(option, limits.example)
        least, most, example = (plain(value / size) for value in bounds)
        message = f"is {text!r}; allowed: {least} to {most} {unit}, written such as {example} or "
        raise refused(label, "", f"{message}{limits.example}{hint_of_point(given)}") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _buffer(text: str, rate_bps: float, rtt_s: float) -> str:
    """Return the value of `path.buffer_packets` for the text of the field `buffer`."""
    text = text.strip()
    if not text:
        return str(buffer_packets(rate_bps, rtt_s, 1.0))
    if text == ENDLESS:
        return "null"
    if text.isdecimal() and int(text) > 0:
        return text
    message = f"is {text!r}; allowed: a number of packets, {ENDLESS}, or nothing"
    raise refused("Buffer", "", f"{message} (a bandwidth-delay product)")
