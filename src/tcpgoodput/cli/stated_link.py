"""A link that is described by options in place of a scenario file: rate, round trip and loss."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from tcpgoodput.configuration import ConfigurationError, Document, refused
from tcpgoodput.configuration.units import number_in_its_unit, number_with_point, plain

RATE, ROUND_TRIP, LOSS = "--rate", "--rtt", "--loss"

Rate = Annotated[
    str | None, typer.Option(RATE, metavar="RATE", help="rate of the link, such as 20M")
]
RoundTrip = Annotated[
    str | None,
    typer.Option(ROUND_TRIP, metavar="TIME", help="round trip without load, such as 60ms or 0.06"),
]
Loss = Annotated[
    str | None,
    typer.Option(LOSS, metavar="SHARE", help="share of lost packets, such as 1% or 0.01"),
]


class Quantity(NamedTuple):
    """What an option's text may be."""

    key: str
    """A key whose unit is that of a number without a unit."""
    least: float
    most: float
    unit: str
    """The unit in messages, with a space before it."""
    example: str
    others: str
    """Further examples."""

    @property
    def allowed(self) -> str:
        """The allowed values, with examples."""
        values = f"{plain(self.least)} to {plain(self.most)}{self.unit}"
        return f"{values}, written such as {self.example}{self.others}"


QUANTITIES = {
    RATE: Quantity("rate_bps", 1e3, 1e13, " bit/s", "20M", ", 20e6 or '20 Mbit/s'"),
    ROUND_TRIP: Quantity("rtt_s", 1e-6, 60.0, " s", "60ms", " or 0.06"),
    LOSS: Quantity("loss", 0.0, 0.99, "", "1%", " or 0.01"),
}

LONGEST_BARE_S = 5.0
"""A longer round trip without a unit is refused: it was probably meant in milliseconds."""

NAME = ", ".join(QUANTITIES)
"""Name of the scenario's source in messages."""


@dataclass(frozen=True)
class StatedLink:
    """The texts of the options that describe a link; None: the option is not given."""

    rate: str | None = None
    rtt: str | None = None
    loss: str | None = None

    @property
    def options(self) -> dict[str, str]:
        """The options that are given, with their texts."""
        texts = {RATE: self.rate, ROUND_TRIP: self.rtt, LOSS: self.loss}
        return {option: text for option, text in texts.items() if text is not None}

    def document(self) -> Document:
        """Return the link as a scenario, with the assumptions of `tcpgoodput link`.

        Raises:
            ConfigurationError: rate or round trip is missing, or an option is no number in range.

        """
        values = {option: number_of(option, text) for option, text in self.options.items()}
        if lacking := [option for option in (RATE, ROUND_TRIP) if option not in values]:
            example = f"{lacking[0]} {QUANTITIES[lacking[0]].example}"
            raise refused(lacking[0], "", f"is missing: a link needs it, such as {example}")

        # Import this module only here: it reads measurements, which a scenario file does not need.
        from tcpgoodput.studies.measured.scenario import assumed

        content = assumed(values[RATE], values[ROUND_TRIP], values.get(LOSS, 0.0))
        return Document(NAME, content, {(): 0})

    def refusal(self, file: Path) -> ConfigurationError:
        """Return the error about these options beside a file, with the keys to set instead."""
        values = {option: number_of(option, text) for option, text in self.options.items()}
        changes = []
        if (rate_bps := values.get(RATE)) is not None:
            changes.append(f"path.rate_bps={plain(rate_bps)}")
        if (rtt_s := values.get(ROUND_TRIP)) is not None:
            delay = plain(rtt_s / 2)
            changes += [f"path.forward_delay_s={delay}", f"path.backward_delay_s={delay}"]
        if (loss := values.get(LOSS)) is not None:
            changes.append(f"'loss={{process: bernoulli, probability: {plain(loss)}}}'")
        wanted = " ".join(f"--set {change}" for change in changes)
        message = f"describes a link without a file; to change {file}: {wanted}"
        return refused(", ".join(values), "", message)


def number_of(option: str, text: str) -> float:
    """Return a quantity that the user gives with or without a unit, in the unit of its key."""
    quantity = QUANTITIES[option]
    try:
        value = float(number_in_its_unit(quantity.key, text) or text)
    except ValueError:
        value = math.nan
    if option == ROUND_TRIP and value > LONGEST_BARE_S and re.fullmatch(r"[\d.]+", text.strip()):
        message = f"is {text!r}, which is {text} s; did you mean {text}ms? Else write {text}s"
        raise refused(option, "", message)
    if not quantity.least <= value <= quantity.most:
        hint = _hint(quantity, text)
        raise refused(option, "", f"is {text!r}{hint}; allowed: {quantity.allowed}")
    return value


def _hint(quantity: Quantity, text: str) -> str:
    """Return what is wrong with a number: its decimal comma, or a unit, such as bytes for bits."""
    number = re.match(r"\s*[\d,.]+", text)
    if number and (point := number_with_point(number[0])):
        return f", with a decimal comma; did you mean {point}{text[number.end() :]}?"
    if quantity == QUANTITIES[LOSS]:
        share = float(number_in_its_unit(quantity.key, f"{text.strip()}%") or "nan")
        return f"; did you mean {text.strip()}%?" if 0.01 <= share <= quantity.most else ""
    if quantity != QUANTITIES[RATE]:
        return ""
    if re.fullmatch(r"\s*[\d.]+\s*", text):
        return f", which is {text.strip()} bit/s; did you mean {text.strip()}M?"
    octets = re.fullmatch(r"\s*([\d.]+)\s*([kMGT]?)i?(?:B|[Bb]ytes?)(?:/s|ps)?\s*", text)
    if not octets:
        return ""
    try:
        bits = plain(8 * float(octets[1])) + octets[2]
    except ValueError:
        return ""
    return f", which counts bytes; a rate counts bits: did you mean {bits}?"
