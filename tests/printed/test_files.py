"""A fault in a file of printed numbers gives a message with file, line, key and allowed values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.comparison.claims.files import load_claims
from tcpgoodput.comparison.printed.files import SourcePrinted, load_printed
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.studies.files import load_source
from tests.claims.made_up import STYLE
from tests.folders import ROOT

TEST = ROOT / "config" / "test"
GOOD = """\
source: mathis
printed:
  - what: throughput
    where: discussion of figure 2
    printed: "1400"
    data: {model: {figure: sweep, series: mathis, take: at, at: 0.01}}
  - what: round trip
    where: a simple validation
    printed: "100"
    setting: {figure: sweep, key: propagation_rtt_s, times: 1000}
  - what: throughput again
    where: discussion of figure 2
    claim: fourteen-hundred
"""


def load(folder: Path, text: str) -> SourcePrinted:
    source = load_source(TEST / "figures" / "mathis.yaml", STYLE)
    file = folder / "mathis.yaml"
    file.write_text(text, encoding="utf-8")
    return load_printed(file, source, load_claims(TEST / "claims" / "mathis.yaml", source))


def test_a_good_file_is_read_in_its_order(tmp_path: Path) -> None:
    numbers = load(tmp_path, GOOD).numbers
    assert [number.what for number in numbers] == ["throughput", "round trip", "throughput again"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    where: a simple validation\n", "", "7: printed[1].where: is required"),
        ('printed: "100"', 'printed: "about a hundred"', "9: printed[1].printed: must be a number"),
        ('printed: "100"', 'printed: "100 to 10"', "first end of the range"),
        ('printed: "100"', 'printed: "3/0"', "9: printed[1].printed: must be a number"),
        ("figure: sweep, key", "figure: swept, key", "no figure 'swept'; did you mean sweep?"),
        ("propagation_rtt_s", "propagation_rtt", "did you mean propagation_rtt_s?"),
        ("key: propagation_rtt_s", "key: loss.process", "loss.process is no number here"),
        ("series: mathis", "series: mathys", "6: printed[0].data.model.series: no series 'mathys'"),
        ("claim: fourteen-hundred", "claim: fourteen", "13: printed[2].claim: no claim 'fourteen'"),
        ("claim: fourteen-hundred", "claim: more-loss-less-throughput", "tests no number"),
        ("claim: fourteen-hundred", "untested: quoted", "needs printed, unless a claim"),
        ("claim: fourteen-hundred", "note: none", "exactly one of claim, data, setting, untested"),
        ("source: mathis", "source: mathys", "1: source: must be mathis"),
    ],
)
def test_a_fault_is_named_with_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(ConfigurationError) as refused:
        load(tmp_path, GOOD.replace(old, new))
    assert len(refused.value.problems) == 1
    report = str(refused.value)
    assert report.startswith(str(tmp_path / "mathis.yaml"))
    assert message in report
