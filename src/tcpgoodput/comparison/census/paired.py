"""Two random samples (censuses) whose connections differ in the sender only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from tcpgoodput.comparison.census.evidence import Evidence, read_evidence
from tcpgoodput.comparison.census.measure import IDENTITY
from tcpgoodput.comparison.census.record import verified_path


def shared(here: Evidence, there: Evidence) -> tuple[Evidence, Evidence]:
    """Return the data of two samples for the connections with the same paths and variants.

    If the samples have no variant in common, such as BBR in one of them alone, the variants may
    differ. Connections are joined by the number of their point. Both results have the same order of
    connections.
    """
    left, right = (e.connections.reset_index().set_index("point") for e in (here, there))
    points = left.index.intersection(right.index)
    left, right = left.loc[points], right.loc[points]
    is_common = bool({*left["variant"]} & {*right["variant"]})
    names = IDENTITY.names if is_common else [n for n in IDENTITY.names if n != "variant"]
    same = (left[names] == right[names]).all(axis=1)
    return here.at(left.loc[same, "index"]), there.at(right.loc[same, "index"])


def gains_between(table: Path, other_table: Path) -> pd.DataFrame:
    """Return the gain of the first sample's sender over the second's on each connection of both.

    Connections with a wide interval of the goodput in either sample are left out.

    Args:
        table: file with the measurements and predictions of the first sample.
        other_table: file with those of the second sample.

    Returns:
        A table with `point`, `group` (the impairment), `variant` and `other_variant` (the senders),
        `ack_every`, `same_rto` (whether the smallest RTO is the same in both), and `gain`,
        ln(goodput / other goodput).

    """
    own = read_evidence(verified_path(table), {})
    other = read_evidence(verified_path(other_table), {}, own.points)
    here, there = shared(own, other)
    # In double precision: logarithms of single precision have other digits on other processors.
    pps, other_pps = (e.connections["goodput_pps"].astype(float) for e in (here, there))
    found = here.connections[["point", "variant", "ack_every"]].assign(
        other_variant=there.connections["variant"],
        group=here.groups.astype(str),
        same_rto=here.connections["timeout"] == there.connections["timeout"],
        gain=np.log(pps / other_pps),
    )
    return found[here.close & there.close]
