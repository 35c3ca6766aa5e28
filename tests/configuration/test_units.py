"""For a key or value in a wrong unit, the error message suggests the converted value."""

from __future__ import annotations

import pytest

from tcpgoodput.configuration.units import in_its_unit, number_in_its_unit, number_with_point, plain

PATH = ["rate_bps", "forward_delay_s", "backward_delay_s", "buffer_packets"]
LOSS = ["process", "probability", "good_to_bad", "place"]


@pytest.mark.parametrize(
    ("name", "value", "allowed", "meant"),
    [
        ("rate_mbps", 20, PATH, "rate_bps: 2e7"),
        ("rate_Mbps", 20, PATH, "rate_bps: 2e7"),
        ("rate_MBps", 20, PATH, "rate_bps: 1.6e8"),
        ("rate_gbps", 1.5, PATH, "rate_bps: 1.5e9"),
        ("rate_kbit_s", 384, PATH, "rate_bps: 384000"),
        ("rate", 20, PATH, "rate_bps: 20"),
        ("forward_delay_ms", 30, PATH, "forward_delay_s: 0.03"),
        ("backward_delay_us", 30, PATH, "backward_delay_s: 3e-5"),
        ("foward_delay_ms", 30, PATH, "forward_delay_s: 0.03"),
        ("rate_mbps", "fast", PATH, "rate_bps"),
        ("probability_percent", 1, LOSS, "probability: 0.01"),
        ("good_to_bad_pct", 0.1, LOSS, "good_to_bad: 0.001"),
        ("mss_bits", 11584, ["mss_bytes"], "mss_bytes: 1448"),
        ("frequency_mhz", 2, ["frequency_hz"], "frequency_hz: 2e6"),
        ("interval_min", 2, ["interval_s"], "interval_s: 120"),
        ("speed_kmh", 36, ["speed_mps"], "speed_mps: 10"),
        ("buffer_bytes", 9000, PATH, None),
        ("delay_ms", 30, PATH, None),
        ("colour", "blue", PATH, None),
    ],
)
def test_a_key_in_another_unit_is_converted(
    name: str, value: object, allowed: list[str], meant: str | None
) -> None:
    assert in_its_unit(name, value, allowed) == meant


@pytest.mark.parametrize(
    ("key", "text", "number"),
    [
        ("rate_bps", "20 Mbit/s", "2e7"),
        ("forward_delay_s", "30ms", "0.03"),
        ("probability", "1 %", "0.01"),
        ("rate_bps", "20 ms", None),
        ("rate_bps", "1.2.3 Mbit/s", None),
        ("variant", "sack", None),
    ],
)
def test_a_value_with_a_unit_is_converted(key: str, text: str, number: str | None) -> None:
    assert number_in_its_unit(key, text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0,03", "0.03"),
        ("-0,125", "-0.125"),
        ("12,5", "12.5"),
        ("1,5e7", "1.5e7"),
        ("1,4485", "1.4485"),
        ("20,000", None),
        ("1,2,3", None),
        ("0.03", None),
        ("a,3", None),
    ],
)
def test_a_decimal_comma_becomes_a_point(text: str, number: str | None) -> None:
    assert number_with_point(text) == number


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.1 + 0.2, "0.3"), (2e7, "2e7"), (3e-5, "3e-5"), (384000, "384000"), (-2, "-2")],
)
def test_numbers_are_written_in_plain_form(value: float, text: str) -> None:
    assert plain(value) == text
