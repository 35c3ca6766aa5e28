"""A fault in a file of printed numbers gives a message with file, line, key and allowed values."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tcpgoodput.comparison.claims.files import load_claims
from tcpgoodput.comparison.printed.files import SourcePrinted, load_printed
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.studies.files import load_source
from tcpgoodput.style import load_style

ROOT = Path(__file__).parents[2]
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
    source = load_source(TEST / "figures" / "mathis.yaml", load_style(ROOT / "config/style.yaml"))
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


def test_the_command_check_refuses_a_fault_with_status_two(tmp_path: Path) -> None:
    for folder in ("figures", "claims"):
        (tmp_path / folder).mkdir()
        text = (TEST / folder / "mathis.yaml").read_text(encoding="utf-8")
        (tmp_path / folder / "mathis.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "printed").mkdir()
    file = tmp_path / "printed" / "mathis.yaml"

    def check() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tcpgoodput", "check", str(file)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    file.write_text(GOOD, encoding="utf-8")
    assert (check().returncode, "3 printed numbers of mathis" in check().stdout) == (0, True)
    file.write_text(GOOD.replace("claim: fourteen-hundred", "claim: fourteen"), encoding="utf-8")
    refused = check()
    assert refused.returncode == 2
    assert "printed[2].claim: no claim 'fourteen'" in refused.stderr
