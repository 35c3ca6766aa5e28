"""The simulator's receiver with adaptive delayed ACKs, compared with Linux's rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.vocabulary import Tcp, Timeout
from tcpgoodput.simulator.compiled import NEVER, seconds, ticks
from tcpgoodput.simulator.delayed_ack import MOST_QUICK
from tcpgoodput.simulator.receiver import SILENT, new_receiver, on_arrival, on_deadline

TCP = Tcp(
    variant="newreno",
    mss_bytes=1000,
    ack_every=2,
    delayed_ack="adaptive",
    rto=Timeout(min_s=0.2),
)
RTT_S = 0.1
JIFFY_S = 0.004
Told = list[tuple[float, int]]


class Receiving:
    """A receiver without a sender: tests give it packets and collect its ACKs.

    An ACK is its time in seconds and the number of the last packet that it acknowledges.
    """

    def __init__(self) -> None:
        self.receiver = new_receiver(TCP, RTT_S)[0]
        self.board = np.zeros(256, np.int8)
        self.sent: Told = []

    def take(self, packets: Sequence[int], begin_s: float, apart_s: float) -> Told:
        """Let packets arrive from `begin_s` on, `apart_s` seconds apart.

        Return the ACKs that are sent until the last arrival.
        """
        before = len(self.sent)
        for count, packet in enumerate(packets):
            now = ticks(begin_s + count * apart_s)
            self.wait(now)
            if on_arrival(self.receiver, self.board, packet, now) != SILENT:
                self.sent.append((seconds(now), int(self.receiver.last_in_order)))
        return self.sent[before:]

    def wait(self, until: int = NEVER) -> Told:
        """Let time pass until a clock tick; return the ACKs that the receiver's timer sends."""
        before = len(self.sent)
        while self.receiver.deadline < until:
            at = seconds(int(self.receiver.deadline))
            on_deadline(self.receiver)
            self.sent.append((at, int(self.receiver.last_in_order)))
        return self.sent[before:]


@pytest.fixture
def quiet() -> Receiving:
    """Return a receiver that has sent all immediate ACKs with which a connection begins."""
    found = Receiving()
    found.take(range(MOST_QUICK), 0.0, 0.001)
    assert len(found.sent) == MOST_QUICK
    return found


def test_the_first_sixteen_acks_are_immediate(
    quiet: Receiving,
) -> None:
    assert [packet for _, packet in quiet.sent] == list(range(MOST_QUICK))
    assert [packet for _, packet in quiet.take(range(16, 22), 0.1, 0.001)] == [17, 19, 21]


@pytest.mark.parametrize(("window", "count"), [(None, 16), (32, 16), (10, 5), (3, 1), (1, 2)])
def test_immediate_acks_cover_half_of_the_window(window: int | None, count: int) -> None:
    tcp = TCP.model_copy(update={"max_window_packets": window})
    assert new_receiver(tcp)[0].most_quick == count


def test_the_ack_of_a_single_packet_waits_for_forty_milliseconds(quiet: Receiving) -> None:
    """The ACK of a single packet is sent after 40 ms, measured in jiffies of 4 ms.

    Therefore the arrival at 102 ms counts as 100 ms. The timer adds a jiffy, so it expires at 144
    ms.
    """
    assert quiet.take([16], 0.102, 0.0) == []
    assert quiet.wait() == [(pytest.approx(0.144, abs=1e-9), 16)]


def test_an_expired_wait_doubles_up_to_the_handshakes_round_trip(
    quiet: Receiving,
) -> None:
    waits = []
    for packet in range(16, 20):
        begin = float(packet)
        # The last packet was 60 jiffies (0.24 s) ago: a longer pause than the receiver's timeout of
        # 0.3 s would cause immediate ACKs.
        quiet.receiver.last_data = round(begin / JIFFY_S) - 60
        quiet.take([packet], begin, 0.0)
        waits.append(quiet.wait()[0][0] - begin)
    assert waits == pytest.approx([0.044, 0.084, 0.104, 0.104], abs=1e-9)


def test_the_wait_adapts_to_slower_packets(quiet: Receiving) -> None:
    """The new delay of ACKs is half of the old one plus the gap between packets, in jiffies.

    If the gap is not longer than 20 ms (5 jiffies), 20 ms are added instead.
    """
    quiet.receiver.wait = 20
    quiet.receiver.last_data = 100
    quiet.take([16], 112 * JIFFY_S, 0.0)
    assert quiet.receiver.wait == 10 + 12
    quiet.take([17], 115 * JIFFY_S, 0.0)
    assert quiet.receiver.wait == 11 + 5


def test_acks_are_immediate_after_a_pause_longer_than_a_timeout(quiet: Receiving) -> None:
    """After a pause longer than the receiver's timeout (300 ms), ACKs are immediate again.

    The timeout follows from the handshake's RTT of 100 ms: 100 ms plus twice 100 ms.
    """
    last = quiet.sent[-1][0]
    assert quiet.take([16], last + 0.299, 0.0) == []
    quiet.wait()
    again = quiet.take(range(17, 35), last + 0.7, 0.001)
    assert [packet for _, packet in again] == [*range(17, 33), 34]


def test_acks_are_immediate_after_a_packet_arrived_twice(quiet: Receiving) -> None:
    again = quiet.take([3, *range(16, 34)], 0.1, 0.001)
    assert [packet for _, packet in again] == [15, *range(16, 32), 33]


def test_a_filled_gap_is_acknowledged_at_once(quiet: Receiving) -> None:
    assert [packet for _, packet in quiet.take([17, 16], 0.1, 0.001)] == [15, 17]


def test_stack_with_ack_every_two_has_adaptive_delayed_acks() -> None:
    known = {"variant": "sack", "mss_bytes": 1000, "stack": "linux-6.18"}
    assert Tcp(**known, ack_every=2).delayed_ack == "adaptive"
    assert Tcp(**known).delayed_ack == Tcp(**known, ack_every=3).delayed_ack == "fixed"
    scenario = Scenario.model_validate(
        {
            "id": "a",
            "title": "a",
            "tcp": known,
            "path": {"rate_bps": 1e6, "forward_delay_s": 0.01, "backward_delay_s": 0.09},
        }
    )
    assert override(scenario, {"tcp.ack_every": 2}).tcp.delayed_ack == "adaptive"


def test_adaptive_delayed_acks_need_ack_every_two() -> None:
    with pytest.raises(ValueError, match="needs ack_every 2"):
        Tcp(variant="sack", mss_bytes=1000, delayed_ack="adaptive")
