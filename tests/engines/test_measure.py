"""Each requested connection is measured once, and interrupted work continues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines import measure
from tcpgoodput.engines import measure as kept
from tcpgoodput.engines.closeness import measured_closely, usual
from tcpgoodput.engines.measurements import Effort, Measured, Request, read_measurements
from tcpgoodput.engines.packet import Packet
from tests.scenarios import scenario

SETTING = Effort("draft", 1).setting
LOSSY = scenario(path={"rate_bps": 1e7}, loss={"process": "bernoulli", "probability": 0.02})


class Bench:
    """A table, code, and an engine that notes which sizes of packets it is asked about."""

    def __init__(self, folder: Path) -> None:
        self.table = folder / "study.csv"
        self.partial = folder / "study.partial.csv"
        self.code = {"engine": "as it is"}
        self.asked: list[int] = []
        self.stops_at: int | None = None

    def measured(self, request: Request) -> Measured:
        size = request.scenario.tcp.mss_bytes
        if size == self.stops_at:
            raise KeyboardInterrupt
        self.asked.append(size)
        return Measured(request.key, request.engine, request.setting, float(size))

    def each(self, requests: Sequence[Request]) -> Iterator[Measured]:
        return map(self.measured, requests)

    def run(self, *sizes: int) -> list[int]:
        """Return which of them are measured."""
        self.asked = []
        measure.complete(requests(*sizes), self.table, lambda done, total: None, self.each)
        return self.asked

    def found(self) -> list[float | None]:
        return [row.goodput_pps for row in read_measurements(self.table).values()]


def requests(*sizes: int) -> list[Request]:
    return [Request("packet", SETTING, scenario(tcp={"mss_bytes": size})) for size in sizes]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench(tmp_path)
    monkeypatch.setattr(measure, "digests_of", lambda *modules: bench.code)
    return bench


def test_a_second_run_measures_nothing_again(bench: Bench) -> None:
    assert bench.run(100, 200) == [100, 200]
    written = bench.table.read_bytes()
    assert bench.run(100, 200) == []
    assert bench.table.read_bytes() == written


def test_a_connection_that_is_asked_for_twice_is_measured_once(bench: Bench) -> None:
    assert bench.run(100, 200, 100) == [100, 200]
    assert bench.found() == [100.0, 200.0]


def test_one_point_more_costs_that_one_and_one_less_is_forgotten(bench: Bench) -> None:
    bench.run(100, 200)
    assert bench.run(300, 200) == [300]
    assert bench.found() == [300.0, 200.0]


def test_other_code_measures_everything_again(bench: Bench) -> None:
    bench.run(100, 200)
    bench.code["engine"] = "as it is now"
    assert bench.run(100, 200) == [100, 200]
    assert bench.run(100, 200) == []


def test_other_code_that_is_stopped_leaves_nothing_of_the_old(bench: Bench) -> None:
    bench.run(100, 200)
    bench.code["engine"] = "as it is now"
    bench.stops_at = 200
    with pytest.raises(KeyboardInterrupt):
        bench.run(100, 200)
    bench.stops_at = None
    assert 200 in bench.run(100, 200)


def test_a_run_that_was_stopped_is_gone_on_with(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "SAVED_EVERY_S", -1.0)
    bench.stops_at = 300
    with pytest.raises(KeyboardInterrupt):
        bench.run(100, 200, 300, 400)
    assert not bench.table.exists()
    assert bench.partial.exists()
    bench.stops_at = None
    assert bench.run(100, 200, 300, 400) == [300, 400]
    assert bench.found() == [100.0, 200.0, 300.0, 400.0]
    assert not bench.partial.exists()


def test_what_other_code_left_half_done_is_not_gone_on_with(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "SAVED_EVERY_S", -1.0)
    bench.stops_at = 300
    with pytest.raises(KeyboardInterrupt):
        bench.run(100, 200, 300)
    bench.stops_at = None
    bench.code["engine"] = "as it is now"
    assert bench.run(100, 200, 300) == [100, 200, 300]


def test_a_table_that_is_cut_is_not_gone_on_with(bench: Bench) -> None:
    bench.run(100, 200)
    whole = bench.table.read_text(encoding="utf-8")
    bench.table.write_text(whole.replace("200.0", "20"), encoding="utf-8")
    assert bench.run(100, 200, 300) == [100, 200, 300]
    assert bench.found() == [100.0, 200.0, 300.0]
    assert bench.run(100, 200, 300) == []


def test_what_a_stopped_run_left_and_was_damaged_is_not_gone_on_with(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run(50)
    monkeypatch.setattr(measure, "SAVED_EVERY_S", -1.0)
    bench.stops_at = 300
    with pytest.raises(KeyboardInterrupt):
        bench.run(50, 100, 200, 300)
    left = bench.partial.read_text(encoding="utf-8")
    bench.partial.write_text(left.replace("200.0", "2000"), encoding="utf-8")
    bench.stops_at = None
    assert bench.run(50, 100, 200, 300) == [100, 200, 300]  # the table of the run before is whole
    assert bench.found() == [50.0, 100.0, 200.0, 300.0]


def test_a_run_that_ends_before_a_table_has_its_name_goes_on_with_the_one_before(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run(100)
    written = kept.write_text

    def full(path: Path, text: str) -> None:
        if path == bench.table:
            raise OSError("no space left")
        written(path, text)

    with monkeypatch.context() as patch:
        patch.setattr(kept, "write_text", full)
        with pytest.raises(OSError, match="no space"):
            bench.run(100, 200)
    assert bench.run(100, 200) == [200]


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b"\xff", b'{"code": 1, "written": {}}'])
def test_a_damaged_note_measures_again(bench: Bench, damage: bytes) -> None:
    bench.run(100)
    (bench.table.parent / "study.code.json").write_bytes(damage)
    assert bench.run(100) == [100]


def test_progress_counts_connections(bench: Bench) -> None:
    bench.run(100)
    told: list[tuple[int, int]] = []
    asked = requests(100, 200, 200)
    measure.complete(asked, bench.table, lambda *both: told.append(both), bench.each)
    assert told == [(1, 2), (2, 2)]


def test_rows_come_in_the_order_in_which_they_are_asked(bench: Bench) -> None:
    bench.run(300, 100)
    asked = requests(100, 200, 300)
    rows = measure.complete(asked, bench.table, lambda done, total: None, bench.each)
    assert [row.key for row in rows] == [request.key for request in asked]
    assert [row.goodput_pps for row in rows] == bench.found() == [100.0, 200.0, 300.0]


def test_without_a_table_nothing_is_written_and_all_is_measured(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        bench.asked = []
        rows = measure.complete(requests(100, 200), None, lambda done, total: None, bench.each)
        assert [row.goodput_pps for row in rows] == bench.asked == [100, 200]
    assert list(tmp_path.iterdir()) == []


def test_a_request_is_measured_as_the_engine_does() -> None:
    effort = Effort("paper", 3, packets=20_000, replications=4)
    row = measure.measured(Request("packet", effort.setting, LOSSY))
    conditions = Conditions(precision="paper", seed=3)
    own = Packet().measure(LOSSY, conditions, packets=20_000, replications=4)
    assert (row.goodput_pps, row.half_width_pps) == (
        own.goodput_pps.mean,
        own.goodput_pps.half_width,
    )
    assert row.low_pps == own.goodput_pps.mean - own.goodput_pps.half_width
    assert (row.replications, row.fast_retransmits) == (4, own.fast_retransmits)


def test_a_width_that_is_asked_for_is_measured_to() -> None:
    closeness = usual(LOSSY, "draft")
    effort = Effort("draft", 3, **vars(closeness))
    row = measure.measured(Request("packet", effort.setting, LOSSY))
    own = measured_closely(LOSSY, Conditions(precision="draft", seed=3), closeness)
    assert row.goodput_pps == own.goodput_pps.mean


def test_what_has_no_goodput_has_a_reason() -> None:
    endless = scenario(path={"forward_delay_s": 4e6})
    row = measure.measured(Request("packet", SETTING, endless))
    assert row.goodput_pps is None
    assert "round trip takes" in str(row.reason)


@pytest.mark.parametrize("cores", [1, 2, 64])
def test_processes_side_by_side_measure_what_one_alone_does(cores: int) -> None:
    """In the order in which they were asked, one that cannot be measured among them."""
    endless = scenario(path={"forward_delay_s": 4e6})
    asked = [Request("packet", SETTING, one) for one in (LOSSY, endless, LOSSY, LOSSY, LOSSY)]
    assert list(measure.side_by_side(cores, asked)) == list(map(measure.measured, asked))
