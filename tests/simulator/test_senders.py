"""Each sender's rules, one by one, by the RFC that states them."""

from __future__ import annotations

import pytest

from tcpgoodput.scenario.vocabulary import Tcp
from tcpgoodput.simulator.receiver import Receiver
from tcpgoodput.simulator.senders import SENDERS, Ack, Sender, sender


def make(variant: str, window: int = 10, **tcp: object) -> Sender:
    """Return a sender in congestion avoidance with packets 0 … window − 1 on their way."""
    settings = Tcp.model_validate(
        {"variant": variant, "mss_bytes": 1000, "limited_transmit": False, **tcp}
    )
    made = sender(settings, sent=window - 1, cwnd=window)
    made.ssthresh = 0
    return made


def duplicate(made: Sender, *received: int) -> list[list[int]]:
    """Acknowledge packets beyond the first hole one by one; return what each ACK sends."""
    known: set[int] = set()
    sent = []
    for packet in received:
        known.add(packet)
        sent.append(made.on_ack(Ack(made.acked, frozenset(known))).packets)
    return sent


def test_slow_start_doubles_each_round_trip() -> None:
    made = sender(Tcp(variant="reno", mss_bytes=1000))
    on_path, rounds = made.start(), []
    for _ in range(5):
        rounds.append(len(on_path))
        on_path = [p for packet in on_path for p in made.on_ack(Ack(packet)).packets]
    assert rounds == [1, 2, 4, 8, 16]


@pytest.mark.parametrize(("increment", "cwnd"), [("floor", 11.0), ("reciprocal", 10.958)])
def test_congestion_avoidance_adds_a_packet_per_window(increment: str, cwnd: float) -> None:
    made = make("reno", ca_increment=increment)
    for packet in range(10):
        made.on_ack(Ack(packet))
    assert made.cwnd == pytest.approx(cwnd, abs=1e-3)


def test_oldtahoe_only_knows_timeouts() -> None:
    made = make("oldtahoe")
    assert duplicate(made, *range(1, 10)) == [[]] * 9
    assert made.on_timeout().packets == [0]
    assert (made.cwnd, made.ssthresh) == (1, 5)


@pytest.mark.parametrize("dupthresh", [1, 2, 3, 5])
@pytest.mark.parametrize("variant", ["tahoe", "reno", "newreno", "sack"])
def test_the_duplicate_ack_that_triggers_fast_retransmit(variant: str, dupthresh: int) -> None:
    made = make(variant, dupthresh=dupthresh)
    sent = duplicate(made, *range(1, dupthresh + 1))
    assert sent[:-1] == [[]] * (dupthresh - 1)
    assert sent[-1][0] == 0
    assert made.ssthresh == 5
    window = {"tahoe": 1, "reno": 5 + dupthresh, "newreno": 5 + dupthresh, "sack": 5}
    assert made.cwnd == window[variant]


def test_reno_inflates_per_duplicate_and_leaves_with_the_first_new_ack() -> None:
    made = make("reno")
    sent = duplicate(made, *range(1, 10))
    assert sent == [[], [], [0], [], [], [10], [11], [12], [13]]  # from ssthresh + 3 = 8 to 14
    made.on_ack(Ack(4))  # a partial ACK ends Reno's recovery
    assert made.cwnd == made.ssthresh == 5


@pytest.mark.parametrize(("recovery", "cwnd"), [("impatient", 13 - 5 + 1), ("slow-but-steady", 5)])
def test_newreno_on_a_partial_ack(recovery: str, cwnd: float) -> None:
    """RFC 6582 takes what is acknowledged off the window and adds one packet back."""
    made = make("newreno", recovery=recovery)
    duplicate(made, 1, 2, 3, 4, 6, 7, 8, 9)
    assert made.cwnd == 13
    reaction = made.on_ack(Ack(4, frozenset({6, 7, 8, 9})))
    assert reaction.packets[0] == 5
    assert made.cwnd == cwnd
    assert made.in_recovery  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("recovery", "restarts"), [("impatient", [True, False]), ("slow-but-steady", [True, True])]
)
def test_newreno_restarts_its_timer_on_partial_acks(recovery: str, restarts: list[bool]) -> None:
    for _ in range(2):  # the count of partial ACKs begins anew with every recovery
        made = make("newreno", recovery=recovery)
        duplicate(made, 3, 4, 5, 6)
        assert [made.on_ack(Ack(p)).restarts_timer for p in (0, 1)] == restarts


def test_newreno_leaves_recovery_with_the_full_ack_only() -> None:
    made = make("newreno")
    duplicate(made, 3, 4, 5, 6, 7, 8, 9)
    made.on_ack(Ack(8))
    assert made.in_recovery  # type: ignore[attr-defined]
    made.on_ack(Ack(9))
    assert not made.in_recovery  # type: ignore[attr-defined]
    assert made.cwnd == made.ssthresh == 5


@pytest.mark.parametrize("variant", ["tahoe", "reno", "newreno", "sack"])
def test_no_second_fast_retransmit_below_recover(variant: str) -> None:
    made = make(variant)
    made.on_timeout()
    for _ in range(5):
        made.on_ack(Ack(-1, frozenset({3, 4, 5})))
    assert made.cwnd == 1


@pytest.mark.parametrize("variant", sorted(SENDERS))
def test_limited_transmit_sends_new_packets_for_two_duplicates(variant: str) -> None:
    made = make(variant, limited_transmit=True, dupthresh=5)
    assert duplicate(made, 1, 2, 3, 4) == [[10], [11], [], []]
    assert made.cwnd == 10


@pytest.mark.parametrize("variant", sorted(SENDERS))
def test_limited_transmit_repeats_nothing(variant: str) -> None:
    made = make(variant, limited_transmit=True)
    made.on_timeout()
    assert made.on_ack(Ack(-1, frozenset({5}))).packets == []


@pytest.mark.parametrize("variant", sorted(SENDERS))
def test_a_timeout_starts_over(variant: str) -> None:
    made = make(variant)
    reaction = made.on_timeout()
    assert reaction.packets == [0]
    assert reaction.restarts_timer
    assert (made.cwnd, made.ssthresh) == (1, 5)
    assert made.on_ack(Ack(0)).packets == [1, 2]


@pytest.mark.parametrize("variant", sorted(SENDERS))
def test_ssthresh_is_at_least_two_packets(variant: str) -> None:
    made = make(variant, window=2)
    made.on_timeout()
    assert made.ssthresh == 2


@pytest.mark.parametrize("variant", sorted(SENDERS))
def test_an_overtaken_ack_does_nothing(variant: str) -> None:
    made = make(variant)
    made.on_ack(Ack(5))
    before = (made.cwnd, made.duplicates, made.next_packet)
    assert made.on_ack(Ack(3)).packets == []
    assert (made.cwnd, made.duplicates, made.next_packet) == before


@pytest.mark.parametrize("variant", sorted(SENDERS))
def test_the_receiver_window_bounds_the_flight(variant: str) -> None:
    made = make(variant, window=6, max_window_packets=6)
    for packet in range(100):
        made.on_ack(Ack(packet))
        assert made.flight <= 6
    assert made.flight == 6


def test_sack_fills_the_pipe_with_holes_first() -> None:
    """RFC 6675: lost holes first, new packets after, while pipe < cwnd."""
    made = make("sack", window=12)  # 0, 2, 4 are lost
    sent = duplicate(made, 1, 3, 5, 6, 7, 8, 9, 10, 11)
    # The third duplicate: 6 … 11 are under way; 0 and 1's neighbours are lost if three packets
    # beyond arrived. pipe = 6 … 11 and 2, 4 (not yet known to be lost) = 8 > cwnd = 6.
    assert sent[2] == [0]
    retransmitted = [packet for packets in sent[2:] for packet in packets]
    assert retransmitted[:3] == [0, 2, 4]
    assert retransmitted[3:] == list(range(12, 12 + len(retransmitted) - 3))
    outstanding = made.flight - len(made.sacked)  # type: ignore[attr-defined]
    assert outstanding == 6  # exactly a pipe of cwnd packets, all repeated or new


def test_sack_does_not_repeat_what_it_has_repeated() -> None:
    made = make("sack", window=12)
    sent = duplicate(made, *range(4, 12))  # 0 … 3 lost
    made.on_ack(Ack(0, frozenset(range(4, 12))))
    repeated = [p for packets in sent for p in packets if p < 4]
    assert sorted(repeated) == sorted(set(repeated)) == [0, 1, 2, 3]


def test_the_receiver_acknowledges_across_filled_holes() -> None:
    receiver = Receiver()
    acks = [receiver.on_packet(p) for p in (0, 2, 3, 2, 1, 1, 5)]
    assert [ack.through for ack in acks] == [0, 0, 0, 0, 3, 3, 3]
    assert [sorted(ack.sacked) for ack in acks] == [[], [2], [2, 3], [2, 3], [], [], [5]]


def test_cubic_and_delayed_acks_are_refused() -> None:
    with pytest.raises(ValueError, match="cubic"):
        sender(Tcp(variant="cubic", mss_bytes=1000))
    with pytest.raises(ValueError, match="ack_every"):
        sender(Tcp(variant="reno", mss_bytes=1000, ack_every=2))
