"""Curves and a table for figures of recorded radio links, from the CSV files in `data/links`."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.models.registry import Curve, curve, table

if TYPE_CHECKING:
    import pandas as pd


BUFFER_UNIT = "BDP"


def _rows(file: str, wanted: dict[str, str]) -> list[dict[str, str]]:
    """Return the rows of a CSV file whose columns have the `wanted` values, by `buffer_bdp`."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    rows = csv.DictReader(text.splitlines())
    found = [row for row in rows if wanted.items() <= row.items()]
    if not found:
        conditions = ", ".join(f"{key} {value}" for key, value in wanted.items())
        raise ValueError(f"{file} has no row with {conditions}")
    return sorted(found, key=lambda row: float(row["buffer_bdp"]))


def _numbers(rows: list[dict[str, str]], column: str) -> NDArray[np.float64]:
    return np.array([float(row[column]) for row in rows])


@curve("links")
def error(*, file: str, link: str, variant: str, model: str, view: str) -> Curve:
    """Return a model's error 100 ln(model / simulated), in per cent, against the buffer in BDP.

    The interval is the 95 % interval of the simulation. Landmarks: `largest`, the largest absolute
    error; `most`, the largest error.

    Args:
        file: path of a CSV file of predictions, such as data/links/answers.csv.
        link: name of the recorded link, such as `evdo`.
        variant: TCP variant of the sender.
        model: the model's name.
        view: name of the link's description that the model gets, such as `mean` or `recorded`;
            see data/links/README.md.

    """
    rows = _rows(file, {"link": link, "variant": variant, "model": model, "view": view})
    predicted_bps, simulated, ends = (
        _numbers(rows, column) for column in ("goodput_bps", "simulated_bps", "ci95_bps")
    )
    y = 100 * np.log(predicted_bps / simulated)
    return Curve(
        _numbers(rows, "buffer_bdp"),
        y,
        BUFFER_UNIT,
        "%",
        {"largest": float(np.abs(y).max()), "most": float(y.max())},
        y_low=100 * np.log(predicted_bps / (simulated + ends)),
        y_high=100 * np.log(predicted_bps / (simulated - ends)),
    )


@curve("links")
def apart(
    *, file: str, link: str, variant: str, model: str, view: str, other_model: str, other_view: str
) -> Curve:
    """Return the difference of two models' goodputs in per cent, against the buffer in BDP.

    The difference is 100 ln(model / other model). Landmark: `largest`, its largest absolute value.
    The arguments are those of `error`; `other_model` and `other_view` are those of the other model.
    """
    connection = {"link": link, "variant": variant}
    first = _rows(file, {**connection, "model": model, "view": view})
    other = _rows(file, {**connection, "model": other_model, "view": other_view})
    predicted_bps = {row["buffer_bdp"]: float(row["goodput_bps"]) for row in other}
    y = np.array([float(row["goodput_bps"]) / predicted_bps[row["buffer_bdp"]] for row in first])
    y = 100 * np.log(y)
    return Curve(
        _numbers(first, "buffer_bdp"), y, BUFFER_UNIT, "%", {"largest": float(np.abs(y).max())}
    )


@curve("links")
def simulated(*, file: str, link: str, variant: str, stack: str = "") -> Curve:
    """Return the simulated goodput in Mbit/s against the buffer in BDP, with its 95 % interval.

    `stack` is an entry of the column `stack`: the kernel whose sender is simulated, or empty.
    """
    rows = _rows(file, {"link": link, "variant": variant, "stack": stack})
    x, y = _numbers(rows, "buffer_bdp"), _numbers(rows, "goodput_bps") / 1e6
    ends = _numbers(rows, "ci95_bps") / 1e6
    n = np.array([int(row["replications"]) for row in rows])
    return Curve(x, y, BUFFER_UNIT, "Mbit/s", y_low=y - ends, y_high=y + ends, n=n)


@curve("links")
def like_kernel(*, file: str, link: str, variant: str) -> Curve:
    """Return the ratio of simulated goodput to Linux's goodput, against the buffer in BDP.

    Both goodputs cover the same time intervals of the recording. Landmark: `farthest`, the
    largest absolute value of the ratio's natural logarithm.
    """
    rows = _rows(file, {"link": link, "variant": variant})
    # Floats of Python, because their division by zero is an error.
    y = np.array([float(r["simulated_bps"]) / float(r["kernel_bps"]) for r in rows])
    return Curve(
        _numbers(rows, "buffer_bdp"),
        y,
        BUFFER_UNIT,
        "1",
        {"farthest": float(np.abs(np.log(y)).max())},
    )


@table("links")
def recordings(*, file: str) -> pd.DataFrame:
    """Return a table with the mean rate, silences and rate variation of each recorded link.

    A silence is a gap without packets. `file` is a CSV file such as data/links/links.csv.
    """
    import pandas as pd

    found = pd.read_csv(file)
    return pd.DataFrame(
        {
            "title": found["title"],
            "length_s": found["length_s"].round(0),
            "mean_mbps": found["mean_bps"] / 1e6,
            "silences": found["silences"],
            "silent_share_%": 100 * found["silent_share"],
            "longest_silence_s": found["longest_silence_s"],
            "variation": found["variation"],
            "coherence_s": found["coherence_s"],
            "uncorrelated_share_%": 100 * found["uncorrelated_share"],
        }
    )
