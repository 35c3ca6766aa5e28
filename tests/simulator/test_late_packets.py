"""What late packets set off, against counts by hand and the hand-off study's own."""

from __future__ import annotations

import pytest

from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.late_packets import late_packets

WINDOW = 30


def sender(variant: str, recovery: str) -> Scenario:
    return Scenario.model_validate(
        {
            "id": f"{variant}-{recovery}",
            "title": "A full window",
            "tcp": {
                "variant": variant,
                "mss_bytes": 1448,
                "recovery": recovery,
                "limited_transmit": False,
            },
            "path": {"rate_bps": 1e9, "forward_delay_s": 0.05, "backward_delay_s": 0.05},
        }
    )


def told(variant: str, recovery: str, late: int, late_rtt: float) -> dict[str, int]:
    scenario = sender(variant, recovery)
    frame = late_packets({scenario.id: scenario}, window=WINDOW, hits=[late], late_rtts=[late_rtt])
    assert len(frame) == 1
    return frame.iloc[0].to_dict()


@pytest.mark.parametrize("late", [1, 5, 10])
def test_packets_beyond_a_round_trip_leave_half_the_window_less_their_number(late: int) -> None:
    row = told("newreno", "impatient", late, 1.5)
    assert (row["new_packets"], row["resent_packets"]) == (WINDOW / 2 - late, 1)
    assert row["resent_in_all_packets"] == late


def test_the_fourth_packet_has_all_but_three_sent_again() -> None:
    assert told("newreno", "impatient", 1, 0.1)["resent_packets"] == WINDOW - 3
    assert told("sack", "impatient", 1, 0.1)["resent_packets"] == 1


def test_packets_that_are_hardly_late_set_off_nothing() -> None:
    row = told("newreno", "impatient", 10, 0.1)
    assert (row["new_packets"], row["resent_in_all_packets"]) == (WINDOW, 0)


def test_only_a_window_set_back_sees_three_duplicates_again() -> None:
    assert told("newreno", "impatient", 5, 1.5)["most_duplicates_later"] < 3
    assert told("newreno", "slow-but-steady", 5, 1.5)["most_duplicates_later"] >= 3
