"""How much of a census there is: its first points, all of them, or what was kept of all."""

from __future__ import annotations

from pathlib import Path

SAMPLE, WHOLE, RECORDED = "sample", "whole", "recorded"

KEPT = Path("data/census")
"""Where the tables of whole censuses are kept."""

COUNTS, TREE = "counts", "tree"
FINDINGS = (
    COUNTS,
    "left_out",
    "ranges",
    "errors",
    "calibration",
    "statuses",
    "homes",
    "importance",
    TREE,
    "advice",
    "pairs",
)
"""What a table of a census is read to, a table each."""

GAINS, SHARED, TREES = "gains", "shared", "trees"
BESIDE = (GAINS, SHARED, TREES)
"""What it is read to together with the table of the census beside it."""


def record_of(census: str) -> Path:
    """Return the table that is kept of a whole census."""
    return KEPT / f"{census}.parquet"


def known_extent(census: str) -> str:
    """Return how much of a census the main job reads: what is kept of the whole, else a sample."""
    return RECORDED if record_of(census).is_file() else SAMPLE


ERRORS_BY_KIND, RANGES_BY_KIND = "errors", "ranges"
"""Small tables beside the kept table of a census, which a prediction reads; see `by_kind`."""


def beside_record(record: Path, table: str) -> Path:
    """Return a small table beside the kept table of a census."""
    return record.with_name(f"{record.stem}_{table}.csv")
