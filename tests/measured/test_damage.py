"""No file, however damaged, gives anything but a reading or one message."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.studies.measured.files import Guesses, read_measurement
from tests.measured import made
from tests.measured.test_readers import packets

WHOLE = [
    made.ping().encode(),
    json.dumps(made.iperf3()).encode(),
    made.events(made.iperf3()).encode(),
    json.dumps(made.irtt(30)).encode(),
    made.ss().encode(),
    packets(40).encode(),
    b"#kernel\nTcpOutSegs 2000 0.0\nTcpRetransSegs 4 0.0\n",
    b"20261129124410,192.0.2.1,50852,192.0.2.7,5001,1,0.0-1.0,650000,5200000\n" * 6,
    b"[ ID] Interval\n[  5]   0.00-9.00   sec   977 KBytes  8.00 Mbits/sec    1   56.6 KBytes\n",
    b"conn_#,actual_data_bytes_a2b,actual_data_pkts_a2b,RTT_samples_a2b\n1,1000,3000,4\n",
    b"1\n2\n5\n900\n",
    b"",
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Return a file with some bytes of its own replaced, taken out or repeated."""
    content = bytearray(draw(st.sampled_from(WHOLE)))
    for _ in range(draw(st.integers(1, 6))):
        at, length = draw(st.integers(0, max(0, len(content)))), draw(st.integers(0, 30))
        replacement = draw(
            st.one_of(
                st.binary(max_size=12),
                st.sampled_from([b"-1", b"nan", b"1e999", b"9" * 400, b"null", b"{}", b"\n", b'"']),
            )
        )
        content[at : at + length] = replacement
    return bytes(content)


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.one_of(st.binary(max_size=300), damaged()))
def test_damaged_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "damaged"
    path.write_bytes(content)
    with contextlib.suppress(ConfigurationError):
        for one in read_measurement(path, Guesses()).known:
            assert one.value == one.value  # a number, not NaN
            assert one.text
