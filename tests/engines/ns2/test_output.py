"""Output of ns-2 is parsed completely, or refused with a reason."""

from __future__ import annotations

import pytest

from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.ns2.process import Printed, read

SOUND = """measured_s 12.5
acknowledged 100
sent 120
retransmitted 15
timeouts 2
cuts 7
crossed 200
"""


def test_valid_output_is_read() -> None:
    assert read(SOUND) == Printed(12.5, 100, 120, 15, 2, 7, 200)


@pytest.mark.parametrize(
    ("damaged", "complaint"),
    [
        ("", "printed 0 lines"),
        (SOUND[:-30], "lines, not 7"),
        (SOUND[:-5], "printed 7 lines|no number"),
        ("Warning: something\n" + SOUND, "see 'Warning: something'"),
        (SOUND + "more\n", "printed 8 lines"),
        (SOUND.replace("100", "1OO"), "no number"),
        (SOUND.replace("100", "10.5"), "no number"),
        (SOUND.replace("sent 120", "sent 120 7"), "see"),
        (SOUND.replace("sent", "lost"), "see 'lost 120'"),
        (SOUND.replace("12.5", "nan"), "out of range"),
        (SOUND.replace("12.5", "inf"), "out of range"),
        (SOUND.replace("12.5", "0"), "out of range"),
        (SOUND.replace("timeouts 2", "timeouts -2"), "out of range"),
        (SOUND.replace("crossed 200", "crossed 20"), "contradict"),
        ("unfinished\n", "transfer has not ended"),
    ],
)
def test_damaged_output_is_refused(damaged: str, complaint: str) -> None:
    with pytest.raises(Unavailable, match=complaint):
        read(damaged)
