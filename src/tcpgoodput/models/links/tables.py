"""What the recordings are, from the table of `data/links`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tcpgoodput.models.registry import table

if TYPE_CHECKING:
    import pandas as pd


@table("links")
def recordings(*, file: str) -> pd.DataFrame:
    """Return a row for each recording: its rates, silences and changes."""
    import pandas as pd

    found = pd.read_csv(file)
    return pd.DataFrame(
        {
            "title": found["title"],
            "length_s": found["length_s"].round(0),
            "mean_mbps": (found["mean_bps"] / 1e6).round(2),
            "silences": found["silences"],
            "silent_share_%": (100 * found["silent_share"]).round(1),
            "longest_silence_s": found["longest_silence_s"],
            "variation": found["variation"].round(2),
            "coherence_s": found["coherence_s"].round(1),
            "quick_share_%": (100 * found["quick_share"]).round(0),
        }
    )
