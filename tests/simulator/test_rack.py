"""RACK's search for lost packets, compared with a search that visits every outstanding packet."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tcpgoodput.scenario.vocabulary import Tcp
from tcpgoodput.simulator.arrays import Arrays, new_arrays
from tcpgoodput.simulator.senders.scoreboard import rack
from tcpgoodput.simulator.senders.scoreboard.marks import (
    EVER_REPEATED,
    LOST,
    REPEATED,
    SACKED,
    mark_lost,
    mark_repeated,
    mark_sacked,
    unmark_all_lost,
)
from tcpgoodput.simulator.senders.scoreboard_state import RECOVERY
from tcpgoodput.simulator.senders.state import new_sender

PACKETS = 60


def plain_detect(s: np.record, a: Arrays, now: int) -> int:
    """Do what `rack.detect` does, but visit every outstanding packet."""
    window, longest = rack.reorder_window(s), 0
    for packet in range(s.acked + 1, s.highest_sent + 1):
        marks, sent = a.marks[packet], a.sent_at[packet]
        if (s.rack_at, s.rack_packet) <= (sent, packet):
            if not marks & EVER_REPEATED:
                break
            continue
        if marks & SACKED or (marks & LOST and not marks & REPEATED):
            continue
        left = s.rack_rtt + window - (now - sent)
        if left <= 0:
            mark_lost(s, a, packet)
        longest = max(longest, left)
    return int(longest)


@pytest.mark.parametrize("seed", range(60))
def test_skipped_packets_change_nothing(seed: int) -> None:
    """Packets arrive in a random order, some are resent; each arrival starts a search."""
    draw = Random(seed)
    s = new_sender(Tcp(variant="sack", mss_bytes=1000, stack="linux-6.18"))[0]
    a = new_arrays(np.empty(0), [], {}, 0)
    s.state, s.srtt_s, s.min_rtt = RECOVERY, 1e-9, 40
    s.highest_sent = PACKETS - 1
    a.sent_at[:PACKETS] = range(PACKETS)
    order = sorted(range(PACKETS), key=lambda packet: packet + draw.expovariate(1 / 20))
    for step, packet in enumerate(order):
        now = 100 + 2 * step
        rack.advance(s, a.marks[packet], packet, a.sent_at[packet], now)
        mark_sacked(s, a, packet)
        while a.marks[s.acked + 1] & SACKED:
            s.acked += 1
        rings = ("marks", "after_run", "repeat_before", "repeat_after")
        plain_s = s.copy()
        plain_a = a._replace(**{ring: getattr(a, ring).copy() for ring in rings})
        assert rack.detect(s, a, now) == plain_detect(plain_s, plain_a, now)
        assert a.marks.tobytes() == plain_a.marks.tobytes()
        assert s.marked_lost == plain_s.marked_lost
        for lost in np.flatnonzero((a.marks[:PACKETS] & (LOST | REPEATED)) == LOST):
            if draw.random() < 0.5:
                mark_repeated(s, a, lost, REPEATED | EVER_REPEATED, now)
        if draw.random() < 0.1:
            mark_repeated(s, a, s.highest_sent, EVER_REPEATED, now)  # a tail loss probe
        if draw.random() < 0.05:
            unmark_all_lost(s, a)  # an undo
    assert s.marked_lost > 0
