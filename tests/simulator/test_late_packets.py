"""Effects of packets that arrive late, compared with manual counts and the hand-offs study."""

from __future__ import annotations

import numpy as np
import pytest

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.vocabulary import Tcp
from tcpgoodput.simulator.ladder import late_packets, spread_late_packets
from tcpgoodput.simulator.receiver import new_receiver, on_arrival, on_old_arrival
from tcpgoodput.simulator.senders.state import NONE
from tcpgoodput.simulator.simulation import Simulation

WINDOW = 30


def sender(variant: str, partial_window: str = "deflated") -> Scenario:
    return Scenario.model_validate(
        {
            "id": f"{variant}-{partial_window}",
            "title": "A full window",
            "tcp": {
                "variant": variant,
                "mss_bytes": 1448,
                "partial_window_deflation": partial_window,
                "limited_transmit": False,
            },
            "path": {"rate_bps": 1e9, "forward_delay_s": 0.05, "backward_delay_s": 0.05},
        }
    )


def late_packet_row(
    variant: str, late: int, late_rtt: float, partial_window: str = "deflated"
) -> dict[str, int]:
    scenario = sender(variant, partial_window)
    frame = late_packets({scenario.id: scenario}, window=WINDOW, hits=[late], late_rtts=[late_rtt])
    assert len(frame) == 1
    return frame.iloc[0].to_dict()


@pytest.mark.parametrize("late", [1, 5, 10])
def test_packets_late_by_more_than_a_round_trip_reduce_the_new_packets(late: int) -> None:
    row = late_packet_row("newreno", late, 1.5)
    assert (row["new_packets"], row["resent_packets"]) == (WINDOW / 2 - late, 1)
    assert row["resent_in_all_packets"] == late


def test_newreno_resends_all_but_three_packets_for_one_late_packet() -> None:
    assert late_packet_row("newreno", 1, 0.1)["resent_packets"] == WINDOW - 3
    assert late_packet_row("sack", 1, 0.1)["resent_packets"] == 1


def test_slightly_late_packets_cause_no_retransmission() -> None:
    row = late_packet_row("newreno", 10, 0.1)
    assert (row["new_packets"], row["resent_in_all_packets"]) == (WINDOW, 0)


def test_only_a_window_without_deflation_gets_three_later_duplicates() -> None:
    deflates, does_not = (
        late_packet_row("newreno", 5, 1.5, form) for form in ("deflated", "ssthresh")
    )
    assert deflates["most_duplicates_later"] < 3 <= does_not["most_duplicates_later"]
    assert (deflates["recoveries"], does_not["recoveries"]) == (1, 2)


@pytest.mark.parametrize("late", [1, 5, 10])
def test_half_a_window_minus_three_acks_release_no_packet(late: int) -> None:
    """After fast retransmit in a window W, the first W/2 - 3 duplicate ACKs release no packet.

    With them cwnd inflates from W/2 + 3 to the W packets in flight.
    """
    row = late_packet_row("newreno", late, 1.5)
    assert row["silent_acks"] == WINDOW / 2 - 3
    assert row["window_after_packets"] == WINDOW / 2


@pytest.mark.parametrize(
    ("late", "silent", "new"),
    [
        # One duplicate ACK after the other raises cwnd from 18 to 30 with the 12th; the other 14
        # release a packet each, and the full ACK one.
        (1, 12, 15),
        # Late are 0, 2, 5, 8, 10, 13, 16, 18, 21, 24. Before the eighth ACK after the third
        # duplicate, cwnd is 18 + 4 and packets up to 7 are acknowledged: 7 + 22 is the last of 30.
        # At the end, cwnd is 18 + 17 and packets up to 23 are acknowledged.
        (10, 7, 23 + 35 - 29),
        # Late are 0, 1, 3, 5, 7, 9, 10, ... Before the ninth ACK, cwnd is 18 + 3 and packets up to
        # 8 are acknowledged. At the end, cwnd is 18 + 12 and packets up to 24 are acknowledged.
        (15, 8, 24 + 30 - 29),
    ],
)
def test_spread_partial_acks_that_keep_the_window_release_the_studys_packets(
    late: int, silent: int, new: int
) -> None:
    """L of the study handoffs is 7.36 and 8.31 ACKs for ten and fifteen packets of 30 (III-B.1)."""
    scenario = sender("newreno", "unchanged")
    row = spread_late_packets({"": scenario}, window=WINDOW, hits=[late]).iloc[0]
    assert (row["silent_acks"], row["new_packets"]) == (silent, new)


@pytest.mark.parametrize("late", [1, 10, 15])
def test_an_early_full_ack_finds_half_a_window_minus_one_in_flight(
    late: int,
) -> None:
    """An early full ACK sets cwnd to FlightSize + SMSS, half of the window before recovery."""
    row = late_packet_row("newreno", late, 0.5)
    assert row["flight_after_packets"] == WINDOW / 2 - 1
    assert row["window_after_packets"] == WINDOW / 2


def test_what_is_overtaken_keeps_the_time_at_which_it_was_sent() -> None:
    """The simulator stores the right send time of each packet in flight, also of overtaken ones."""
    request = sender("sack").model_dump(mode="json", exclude_none=True)
    request["tcp"]["max_window_packets"] = WINDOW
    request["path"]["rate_bps"] = 5e6
    request["handoffs"] = {"interval_s": 0.3, "packets": 3, "fate": "late", "late_s": 0.012}
    one = Scenario.model_validate(request)
    simulation = Simulation(one, np.random.default_rng(1), traced_events=5000)
    overtaken = 0
    for until_s in np.arange(0.3, 3, 0.05):
        simulation.run(until_s)
        events, sent = simulation.events()
        sent_at = {(row["packet"], row["arrives"]): events["time"][row["event"]] for row in sent}
        channel, arrays = simulation._channel, simulation._arrays
        places = np.arange(channel["first_under_way"], channel["next_under_way"])
        places &= arrays.stamps.size - 1
        packets, arrives = arrays.under_way[places], arrays.arrivals[places]
        assert [sent_at[pair] for pair in zip(packets, arrives, strict=True)] == list(
            arrays.stamps[places]
        )
        overtaken += int((np.diff(packets) < 0).sum())
    assert overtaken > 3


def test_only_acknowledged_packets_with_an_old_time_stamp_are_reported_as_duplicates() -> None:
    """Linux discards a packet with an old time stamp before it looks at the packets above a gap."""
    receiver = new_receiver(Tcp(variant="sack", mss_bytes=1000))[0]
    board = np.zeros(8, np.int8)
    for packet in (0, 2):
        on_arrival(receiver, board, packet, 0)
    on_old_arrival(receiver, 0)
    assert receiver.twice == 0
    on_old_arrival(receiver, 2)
    assert receiver.twice == NONE
