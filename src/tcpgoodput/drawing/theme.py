"""Common style of pictures (sizes, fonts, axes), and picture files with reproducible bytes."""

from __future__ import annotations

import io
import logging
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.figure import Figure as Picture
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from tcpgoodput.drawing import names, room
from tcpgoodput.storage import write_bytes
from tcpgoodput.studies.schema import Axis, Series
from tcpgoodput.style import Style

if TYPE_CHECKING:
    from IPython.display import Image

    from tcpgoodput.comparison.schema import MapAxis

PNG_DPI = 200

SHOWN_DPI = 120
"""Resolution at which a notebook shows a picture, in pixels per inch, so that the letters of all
pictures have the same size: a picture as wide as the report's text has 756
pixels."""

FORMATS = (".pdf", ".png")
"""File formats of pictures, in the order of writing. The PNG is last, because it changes the
picture's resolution."""

UNDATED = {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None}

INK = ".15"
"""The colour of texts and axes in seaborn's themes."""

PAPER_PT = 9.6
"""Size of labels in seaborn's context `paper`, in points; its ticks and legends have 8.8 pt."""

OWN = {
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.3,
    "lines.markersize": 4,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "axes.grid": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.5,
    "mathtext.fontset": "dejavusans",
    "figure.constrained_layout.use": True,
    "figure.dpi": 110,
    "pdf.fonttype": 42,
    "svg.hashsalt": "tcpgoodput",
}
"""Settings of matplotlib that override seaborn's style `ticks` in its context `paper`."""

FONT_LAYOUT = ("GDEF", "GPOS", "GSUB")
"""Tables of a font that say how its letters are combined and moved."""

# fontTools, which embeds the fonts in PDF files, warns of the date of a font of matplotlib.
logging.getLogger("fontTools.ttLib.tables._h_e_a_d").setLevel(logging.ERROR)

MESSAGE_CM = 3.0

CM = 1 / 2.54
"""One centimetre in inches, the unit of matplotlib."""

CHARACTERS_PER_CM = 5.5
"""Mean number of characters of an axis label per cm, to estimate the label's width."""

LINES = {"solid": "-", "dashed": (0, (5, 2)), "dotted": (0, (1, 1.5)), "dashdot": (0, (5, 2, 1, 2))}


def apply(style: Style) -> None:
    """Set matplotlib's defaults, such as font sizes, for all pictures that are drawn afterwards.

    Settings of the user, as in a file `matplotlibrc`, have no effect on the pictures.
    """
    import matplotlib as mpl
    import seaborn as sns  # seaborn takes a second to load, so import it only when needed

    scale = style.palette.font_size_pt / PAPER_PT
    mpl.rcdefaults()
    sns.set_theme("paper", "ticks", "colorblind", "DejaVu Sans", scale, rc=OWN)


def new_picture(style: Style, height_cm: float, width_cm: float | None = None) -> Picture:
    """Return an empty picture of the given size in cm, by default as wide as the report's text."""
    width_cm = width_cm or style.palette.text_width_cm
    return Picture(figsize=(width_cm * CM, height_cm * CM))


def message(text: str, style: Style) -> Picture:
    """Return a picture that contains only a text, for example why there is nothing to draw."""
    picture = new_picture(style, MESSAGE_CM)
    axes = picture.add_subplot()
    axes.axis("off")
    axes.text(0.5, 0.5, text, ha="center", va="center")
    return picture


def line_look(series: Series, style: Style) -> dict[str, Any]:
    """Return the colour and the dashes of a series' line, for matplotlib."""
    look = style.look(series)
    return {"color": look.colour, "linestyle": LINES[series.line or look.line]}


def set_axis(axes: Axes, name: str, axis: Axis, length_cm: float = math.inf) -> None:
    """Set label, scale, limits and ticks of the axis `x` or `y`; a long label gets two lines."""
    label = label_of(axis, length_cm)
    settings: dict[str, object] = {f"{name}label": label, f"{name}scale": axis.scale}
    if axis.limits:
        settings[f"{name}lim"] = tuple(axis.limits)
    if axis.ticks is not None:
        settings[f"{name}ticks"] = axis.ticks
    if axis.tick_labels is not None:
        settings[f"{name}ticklabels"] = axis.tick_labels
    axes.set(**settings)
    if axis.scale == "log" and axis.ticks is None:
        plain_log_ticks(axes, name)


def label_of(axis: Axis | MapAxis, length_cm: float = math.inf) -> str:
    """Return an axis' label with its unit, in two lines if it is longer than `length_cm`.

    A label with a formula always has one line.
    """
    label = f"{axis.label} [{axis.unit}]" if axis.unit else axis.label
    if "$" in label or len(label) <= length_cm * CHARACTERS_PER_CM:
        return label
    return fill(label, math.ceil(0.6 * len(label)), break_long_words=False)


def plain_log_ticks(axes: Axes, name: str) -> None:
    """Label a logarithmic axis, `x` or `y`, with numbers such as 0.5 if it spans few decades.

    With five decades or more, or with very small or large numbers, powers of ten stay.
    """
    low, high = axes.get_xlim() if name == "x" else axes.get_ylim()
    decades = math.log10(high / low)
    along = axes.xaxis if name == "x" else axes.yaxis
    if decades < 2.2:
        along.set_major_locator(LogLocator(subs=(1, 2, 5)))
    if decades < 5 and low > 1e-4 and high < 1e5:
        along.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    along.set_minor_formatter(NullFormatter())


def keep(files: Mapping[str, bytes], stem: Path) -> None:
    """Write a picture's files, each to the path `stem` with the file's suffix."""
    for suffix, content in files.items():
        write_bytes(stem.with_name(stem.name + suffix), content)


def shown(files: Mapping[str, bytes], title: str) -> Image:
    """Return a picture in the form that a notebook shows; its title is the alternative text."""
    from IPython.display import Image

    png = files[".png"]
    pixels = int.from_bytes(png[16:20], "big")  # a PNG file has the picture's width there
    return Image(png, width=round(pixels * SHOWN_DPI / PNG_DPI), alt=title)


@cache
def _leave_out_font_layout() -> None:
    """Make fontTools embed fonts without their tables of layout, which no PDF uses.

    To read these tables takes half of the time in which matplotlib writes a PDF.
    """
    from fontTools import subset

    subset.Options._drop_tables_default = [*subset.Options._drop_tables_default, *FONT_LAYOUT]


def rendered(picture: Picture, suffixes: Sequence[str] = FORMATS) -> dict[str, bytes]:
    """Return the content of a picture's files, by suffix, and fix the picture's layout."""
    layout = picture.get_layout_engine()
    assert layout is not None  # the theme sets a constrained layout
    layout.execute(picture)
    if room.fit(picture):
        layout.execute(picture)
    names.place(picture)
    picture.set_layout_engine("none")  # compute the layout once, not for each format
    drawn = {}
    for suffix in sorted(suffixes, key=FORMATS.index):
        buffer = io.BytesIO()
        # Call the canvases directly: `savefig` draws everything twice for each format.
        if suffix == ".pdf":
            _leave_out_font_layout()
            FigureCanvasPdf(picture).print_pdf(buffer, metadata=UNDATED)
        else:
            picture.set_dpi(PNG_DPI)
            FigureCanvasAgg(picture).print_png(buffer)
        drawn[suffix] = buffer.getvalue()
    return drawn
