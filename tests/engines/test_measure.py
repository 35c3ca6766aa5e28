"""Each requested connection is simulated once, and interrupted work continues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines import measure
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.closeness import Target, measured_closely, successive_measurements, usual
from tcpgoodput.engines.measurements import Request, Setting, read_measurements
from tcpgoodput.engines.packet import Packet
from tests.scenarios import scenario

SETTING = Setting("draft", 1)
LOSSY = scenario(path={"rate_bps": 1e7}, loss={"process": "bernoulli", "probability": 0.02})


class Bench:
    """A table of measurements, and a fake engine that notes the requested packet sizes (bytes)."""

    def __init__(self, folder: Path) -> None:
        self.table = folder / "study.csv"
        self.partial = folder / "study.partial.csv"
        self.code = {"engine": "as it is"}
        self.sizes: list[int] = []
        self.stops_at: int | None = None

    def measured(self, request: Request) -> Measurement:
        size = request.scenario.tcp.mss_bytes
        if size == self.stops_at:
            raise KeyboardInterrupt
        self.sizes.append(size)
        return Measurement(
            key=request.key,
            engine=request.engine,
            setting=str(request.setting),
            goodput_pps=float(size),
        )

    def each(self, requests: Sequence[Request]) -> Iterator[Measurement]:
        return map(self.measured, requests)

    def run(self, *sizes: int) -> list[int]:
        """Request connections with these packet sizes; return the sizes that were measured now."""
        self.sizes = []
        measure.complete(requests(*sizes), self.table, lambda done, total: None, self.each)
        return self.sizes

    def stop_at(self, size: int, *sizes: int) -> None:
        """Request connections, and interrupt the run when it comes to a packet size."""
        self.stops_at = size
        with pytest.raises(KeyboardInterrupt):
            self.run(*sizes)
        self.stops_at = None

    def found(self) -> list[float | None]:
        return [row.goodput_pps for row in read_measurements(self.table).values()]


def requests(*sizes: int) -> list[Request]:
    return [Request("packet", SETTING, scenario(tcp={"mss_bytes": size})) for size in sizes]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench(tmp_path)
    monkeypatch.setattr(measure, "digests_of", lambda *modules: bench.code)
    monkeypatch.setattr(measure, "SAVED_EVERY_S", -1.0)
    return bench


def test_a_second_run_repeats_no_measurement(bench: Bench) -> None:
    assert bench.run(100, 200) == [100, 200]
    written = bench.table.read_bytes()
    assert bench.run(100, 200) == []
    assert bench.table.read_bytes() == written


def test_a_connection_requested_twice_is_measured_once(bench: Bench) -> None:
    assert bench.run(100, 200, 100) == [100, 200]
    assert bench.found() == [100.0, 200.0]


def test_only_new_points_are_measured_and_old_ones_removed(bench: Bench) -> None:
    bench.run(100, 200)
    assert bench.run(300, 200) == [300]
    assert bench.found() == [300.0, 200.0]


def test_changed_code_repeats_all_measurements(bench: Bench) -> None:
    bench.run(100, 200)
    bench.code["engine"] = "as it is now"
    assert bench.run(100, 200) == [100, 200]
    assert bench.run(100, 200) == []


def test_an_interrupted_run_with_changed_code_keeps_no_old_rows(bench: Bench) -> None:
    bench.run(100, 200)
    bench.code["engine"] = "as it is now"
    bench.stop_at(200, 100, 200)
    assert 200 in bench.run(100, 200)


def test_an_interrupted_run_continues(bench: Bench) -> None:
    bench.stop_at(300, 100, 200, 300, 400)
    assert not bench.table.exists()
    assert bench.partial.exists()
    assert bench.run(100, 200, 300, 400) == [300, 400]
    assert bench.found() == [100.0, 200.0, 300.0, 400.0]
    assert not bench.partial.exists()


def test_an_interrupted_run_of_other_code_is_not_continued(bench: Bench) -> None:
    bench.stop_at(300, 100, 200, 300)
    bench.code["engine"] = "as it is now"
    assert bench.run(100, 200, 300) == [100, 200, 300]


def test_a_truncated_table_is_not_reused(bench: Bench) -> None:
    bench.run(100, 200)
    whole = bench.table.read_text(encoding="utf-8")
    bench.table.write_text(whole.replace("200.0", "20"), encoding="utf-8")
    assert bench.run(100, 200, 300) == [100, 200, 300]
    assert bench.found() == [100.0, 200.0, 300.0]
    assert bench.run(100, 200, 300) == []


def test_a_damaged_partial_table_is_not_reused(bench: Bench) -> None:
    bench.run(50)
    bench.stop_at(300, 50, 100, 200, 300)
    left = bench.partial.read_text(encoding="utf-8")
    bench.partial.write_text(left.replace("200.0", "2000"), encoding="utf-8")
    # Packet size 50 is not measured again: its row is in the previous run's undamaged table.
    assert bench.run(50, 100, 200, 300) == [100, 200, 300]
    assert bench.found() == [50.0, 100.0, 200.0, 300.0]


def test_a_run_that_cannot_write_its_table_keeps_the_previous_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run(100)
    written = measure.write_text

    def full(path: Path, text: str) -> None:
        if path == bench.table:
            raise OSError("no space left")
        written(path, text)

    with monkeypatch.context() as patch:
        patch.setattr(measure, "write_text", full)
        patch.setattr(measure, "SAVED_EVERY_S", 60.0)  # no partial table
        with pytest.raises(OSError, match="no space"):
            bench.run(100, 200)
    assert bench.run(100, 200) == [200]


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b"\xff", b'{"code": 1, "written": {}}'])
def test_a_damaged_code_digest_repeats_the_measurement(bench: Bench, damage: bytes) -> None:
    bench.run(100)
    (bench.table.parent / "study.code.json").write_bytes(damage)
    assert bench.run(100) == [100]


def test_progress_counts_connections(bench: Bench) -> None:
    bench.run(100)
    result: list[tuple[int, int]] = []
    wanted = requests(100, 200, 200)
    measure.complete(wanted, bench.table, lambda *both: result.append(both), bench.each)
    assert result == [(1, 2), (2, 2)]


def test_rows_have_the_order_of_the_requests(bench: Bench) -> None:
    bench.run(300, 100)
    wanted = requests(100, 200, 300)
    rows = measure.complete(wanted, bench.table, lambda done, total: None, bench.each)
    assert [row.key for row in rows] == [request.key for request in wanted]
    assert [row.goodput_pps for row in rows] == bench.found() == [100.0, 200.0, 300.0]


def test_without_a_table_all_is_measured_and_nothing_written(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        bench.sizes = []
        rows = measure.complete(requests(100, 200), None, lambda done, total: None, bench.each)
        assert [row.goodput_pps for row in rows] == bench.sizes == [100, 200]
    assert list(tmp_path.iterdir()) == []


def test_a_request_gives_the_engines_own_measurement() -> None:
    setting = Setting("paper", 3, packets=20_000, replications=4)
    row = measure.measured(Request("packet", setting, LOSSY))
    conditions = Conditions(precision="paper", seed=3)
    own = Packet().measure(LOSSY, conditions, packets=20_000, replications=4)
    assert (row.goodput_pps, row.half_width_pps) == (
        own.goodput_pps,
        own.half_width_pps,
    )
    assert row.low_pps == own.goodput_pps - own.half_width_pps
    assert (row.replications, row.fast_retransmits) == (4, own.fast_retransmits)


def test_a_requested_width_gives_the_closer_measurement() -> None:
    target = usual(LOSSY, "draft")
    setting = Setting("draft", 3, **vars(target))
    row = measure.measured(Request("packet", setting, LOSSY))
    own = measured_closely(LOSSY, Conditions(precision="draft", seed=3), target)
    assert row.goodput_pps == own.goodput_pps


def test_a_wider_interval_by_chance_does_not_end_a_measurement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A measurement is continued although more packets gave a wider interval by chance.

    The half-width from eight replications has a standard deviation of about a quarter, so it may
    increase although more packets are simulated.
    """
    plain, widths = Packet.measure, iter([0.08, 0.09, 0.04])

    def measured(engine: Packet, *arguments: Any, **options: Any) -> Measurement:
        found = plain(engine, *arguments, **options)
        return replace(found, half_width_pps=next(widths) * found.goodput_pps)

    monkeypatch.setattr(Packet, "measure", measured)
    target = Target(half_width=0.05, most_packets=10_000_000, replications=8)
    found = list(successive_measurements(LOSSY, Conditions(precision="draft"), target))
    assert [one.relative_half_width for one in found] == pytest.approx([0.08, 0.09, 0.04])


def test_a_measurement_without_goodput_has_a_reason() -> None:
    endless = scenario(path={"forward_delay_s": 4e6})
    row = measure.measured(Request("packet", SETTING, endless))
    assert row.goodput_pps is None
    assert "round trip takes" in str(row.reason)


@pytest.mark.parametrize("cores", [1, 2, 64])
def test_parallel_processes_give_the_same_measurements_as_one(cores: int) -> None:
    """Measurements in several processes equal those in one, and are in the order of requests.

    One of the requests has no goodput.
    """
    endless = scenario(path={"forward_delay_s": 4e6})
    wanted = [Request("packet", SETTING, one) for one in (LOSSY, endless, LOSSY, LOSSY, LOSSY)]
    assert list(measure.side_by_side(cores, wanted)) == list(map(measure.measured, wanted))
