"""Synthetic recordings with known properties."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tcpgoodput.studies.recordings.recording import PacketRecording


def written(path: Path, times_ms: Iterable[int]) -> Path:
    path.write_text("".join(f"{time}\n" for time in times_ms), encoding="ascii")
    return path


def of_counts(counts: Iterable[float], delays_s: Iterable[float] | None = None) -> PacketRecording:
    delays = None if delays_s is None else np.array(list(delays_s))
    return PacketRecording("made", "0" * 64, delays, np.array(list(counts)).astype(np.uint32))


def of_rate(packets_per_ms: np.ndarray, seed: int = 1) -> PacketRecording:
    """Return a recording with a Poisson number of packets in each millisecond.

    `packets_per_ms` has the mean number for each millisecond.
    """
    return of_counts(np.random.default_rng(seed).poisson(packets_per_ms))
