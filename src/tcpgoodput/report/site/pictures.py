"""Pictures for the web site's pages, drawn with the public API in a few seconds."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure as Picture

import tcpgoodput
from tcpgoodput.api.simulate import draw_window
from tcpgoodput.api.sweep import draw_sweep
from tcpgoodput.drawing import theme
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.style import Style, load_style

STYLE = DEFAULT_PATH.with_name("style.yaml")

LINK: dict[str, Any] = {
    "id": "pictured",
    "title": "5 Mbit/s, 100 ms",
    "tcp": {"variant": "newreno", "mss_bytes": 1448, "header_bytes": 52},
    "path": {"rate_bps": 5e6, "forward_delay_s": 0.05, "backward_delay_s": 0.05},
}

LOSS = {"process": "bernoulli", "probability": 0.01}
HANDOFFS = {"interval_s": 5, "packets": 4}


def window() -> str:
    """Draw cwnd of one connection under independent loss, as SVG."""
    return _windows({"": {"loss": LOSS}}, until_s=40, widest=40)


def cycles() -> str:
    """Draw cwnd of a connection whose only losses are buffer overflows, as SVG."""
    return _windows({"": {"path": {**LINK["path"], "buffer_packets": 20}}}, until_s=40, widest=100)


def handoffs() -> str:
    """Draw cwnd under hand-offs that lose four packets, and that delay four, as SVG."""
    fates = {
        "lost": {"handoffs": {**HANDOFFS, "fate": "lost"}},
        "late by 0.3 s": {"handoffs": {**HANDOFFS, "fate": "late", "late_s": 0.3}},
    }
    return _windows(fates, until_s=30, widest=40)


def states() -> str:
    """Draw the goodput of two models and of the simulation against the loss probability, as SVG.

    A model's line is faint where the loss probability is out of the model's domain.
    """
    style = _style()
    values = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2]
    rows = tcpgoodput.sweep(
        {**LINK, "loss": LOSS},
        {"loss.probability": values},
        models=["mathis", "pftk"],
        quantity="goodput_kbps",
    )
    picture = Picture(figsize=(5.2, 3.2))
    axes = picture.subplots()
    draw_sweep(axes, rows, style)
    axes.set(xscale="log", yscale="log", xlabel="probability of loss", ylabel="goodput [kbit/s]")
    return _svg(picture)


PICTURES: dict[str, Callable[[], str]] = {
    drawn.__name__: drawn for drawn in (window, cycles, handoffs, states)
}


def _style() -> Style:
    style = load_style(STYLE)
    theme.apply(style)
    return style


def _windows(changes: dict[str, dict[str, Any]], *, until_s: float, widest: int) -> str:
    """Draw cwnd in a panel for each change of the link; `widest` is the receiver's window."""
    style = _style()
    picture = Picture(figsize=(7.2, 0.6 + 1.8 * len(changes)))
    panels = picture.subplots(len(changes), 1, sharex=True, squeeze=False)[:, 0]
    tcp = {**LINK["tcp"], "max_window_packets": widest}
    for axes, (title, changed) in zip(panels, changes.items(), strict=True):
        scenario = {**LINK, "tcp": tcp, **changed}
        traced = tcpgoodput.simulate(scenario, replications=1, duration_s=until_s, trace=True)
        draw_window(axes, traced, style)
        axes.set_title(title, loc="left")
        axes.label_outer()
    return _svg(picture)


def _svg(picture: Picture) -> str:
    """Return a picture as SVG text, with the same bytes in every run."""
    file = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "tcpgoodput", "svg.fonttype": "path"}):
        picture.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
    return file.getvalue()
