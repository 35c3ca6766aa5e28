"""A fault in a file of claims gives one message with file, line, key and allowed values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pandas as pd
import pytest

from tcpgoodput.answers import Conditions, Precision
from tcpgoodput.comparison.claims.data import Data, tables_in
from tcpgoodput.comparison.claims.files import SourceClaims, load_claims
from tcpgoodput.comparison.claims.schema import Bound, Claim, Former
from tcpgoodput.comparison.claims.verdicts import judgements_of
from tcpgoodput.configuration import ConfigurationError, read
from tcpgoodput.models import ERRATA
from tcpgoodput.models.registry import ErratumClass
from tcpgoodput.project.settings import check_document
from tcpgoodput.studies.answering import answers_path
from tests.claims.made_up import STYLE, tiny_study
from tests.folders import ROOT

GOOD = """\
source: mathis
claims:
  - id: above
    where: "figure 2"
    statement: "Mathis is above PFTK."
    figures: [sweep]
    predicate: {kind: ordering}
    data:
      model: [{figure: sweep, series: [pftk, mathis]}]
      linux: [{figure: sweep, series: [linux, mathis]}]
  - id: rate
    where: "last formula"
    statement: "Ten packets in flight at most."
    erratum: rounded-rate
    predicate: {kind: bound, below: 100}
    data:
      model: {model: mathis, scenario: small, set: {loss.probability: 0.04}, quantity: goodput_pps}
  - id: peak
    where: "figure 1"
    statement: "The window peaks at W."
    predicate: {kind: within, printed: "16.3"}
    data:
      model: {curve: mathis.window_sawtooth, scenario: small, with: {teeth: 1}, landmark: W}
  - id: test-bed
    where: "figure 2"
    statement: "A kernel of 2013 does so."
    untestable: {linux: "it is gone"}
"""


Load = Callable[[str], SourceClaims]
Known = Callable[..., Data]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return a function that reads a text as a file of claims."""

    def loaded(text: str) -> SourceClaims:
        file = tmp_path / "mathis.yaml"
        file.write_text(text, encoding="utf-8")
        return load_claims(file, tiny_study())

    return loaded


@pytest.fixture
def data(tmp_path: Path) -> Known:
    """Return a function that writes results in which Mathis is `above` PFTK."""

    def known(above: float = 1.0, **conditions: Any) -> Data:
        rows = [("a", "mathis", x, above + x) for x in (1, 2, 3)]
        rows += [("a", "pftk", x, float(x)) for x in (1, 2, 3)]
        frame = pd.DataFrame(rows, columns=["panel", "series", "x", "y"])
        path = answers_path(tmp_path, "mathis", "sweep")
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.to_csv(path, index=False)
        tables = tables_in(tmp_path, "mathis")
        return Data(tiny_study(), STYLE, Conditions(**conditions), tables)

    return known


def test_each_outcome_gives_its_verdict(load: Load, data: Known) -> None:
    claims = load(GOOD)
    found = {(j.claim.id, j.evidence): j for j in judgements_of(claims, data())}
    verdicts = {key: j.verdict for key, j in found.items()}
    assert verdicts == {
        ("above", "model"): "reproduced",
        ("above", "linux"): "undecided",
        ("rate", "model"): "reproduced",
        ("peak", "model"): "reproduced",
        ("test-bed", "linux"): "untestable",
    }
    assert found["above", "linux"].note == "Linux has not measured this yet"
    assert found["rate", "model"].outcomes[0].value == pytest.approx((3 / 2 / 0.04) ** 0.5 / 0.1)
    lower = judgements_of(claims, data(above=-0.5))
    assert lower[0].verdict == "contradicted"


OPEN = """
    chosen: "x up to 3"
    open:
      - {setting: "from far below", data: {model: [{figure: sweep, series: [mathis, pftk]}]}}
"""


ABOVE = "      linux: [{figure: sweep, series: [linux, mathis]}]\n"


def with_more(text: str) -> str:
    return GOOD.replace(ABOVE, ABOVE + text.strip("\n") + "\n")


@pytest.mark.parametrize(
    ("above", "verdict", "outcomes"),
    [
        (1.0, "depends", ["holds", "fails"]),
        (-0.5, "depends", ["fails", "holds"]),
        # Both lines of the claim have equal values, so neither is above the other.
        (0.0, "contradicted", ["fails", "fails"]),
    ],
)
def test_contradicted_requires_failure_at_all_open_settings(
    load: Load, data: Known, above: float, verdict: str, outcomes: list[str]
) -> None:
    claims = load(with_more(OPEN))
    found = judgements_of(claims, data(above))[0]
    assert found.verdict == verdict
    rows = list(found.reading_records())
    assert [row["outcome"] for row in rows] == outcomes
    assert [row["setting"] for row in rows] == ["x up to 3", "from far below"]


TIED = """
    chosen: "Mathis"
    open:
      - {setting: "PFTK", data: {linux: [{figure: sweep, series: [linux, pftk]}]}}
"""


def swept(results: Path) -> tuple[Path, pd.DataFrame]:
    """Return the file with the data of the figure `sweep`, and its content."""
    path = answers_path(results, "mathis", "sweep")
    return path, pd.read_csv(path)


@pytest.mark.parametrize(("above", "outcome"), [(1.0, "holds"), (-0.5, "fails")])
def test_a_tie_with_a_holding_or_failing_setting_is_undecided(
    load: Load, data: Known, tmp_path: Path, above: float, outcome: str
) -> None:
    known = data(above)
    path, frame = swept(tmp_path)
    linux = frame[frame["series"] == "pftk"].assign(series="linux")
    linux = linux.assign(y_low=linux["y"] - 0.1, y_high=linux["y"] + 0.1)
    pd.concat([frame, linux]).to_csv(path, index=False)
    found = judgements_of(load(with_more(TIED)), known)[1]
    assert [row["outcome"] for row in found.reading_records()] == [outcome, "undecided"]
    assert found.verdict == "undecided"


def test_a_claim_by_construction_is_untestable_or_contradicted(load: Load, data: Known) -> None:
    claims = load(with_more("    by_construction: {model: because}"))
    held = judgements_of(claims, data())[0]
    assert (held.verdict, held.note) == ("untestable", "by construction: because")
    failed = judgements_of(claims, data(above=-0.5))[0]
    assert failed.verdict == "contradicted"


@pytest.mark.parametrize("proved", ["misprint seen in the text", "error of reasoning proved"])
def test_only_a_proved_error_gives_the_verdict_erratum(
    load: Load, data: Known, proved: ErratumClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = load(GOOD.replace("below: 100", "below: 10"))
    assumed = judgements_of(claims, data())[2]
    assert (assumed.verdict, "our assumption" in assumed.note) == ("contradicted", True)
    known = replace(ERRATA["mathis.rounded-rate"], evidence=proved)
    monkeypatch.setitem(ERRATA._entries, "mathis.rounded-rate", (known, "made up"))
    assert judgements_of(claims, data())[2].verdict == "erratum"


@pytest.mark.parametrize(
    ("old", "new", "line", "messages"),
    [
        ("figures: [sweep]", "figures: [swep]", 6, ["no figure 'swep'", "did you mean sweep"]),
        ("figure: sweep, series: [pftk", "figure: swep, series: [pftk", 9, ["did you mean sweep"]),
        ("[pftk, mathis]", "[pfkt, mathis]", 9, ["no series 'pfkt'", "did you mean pftk"]),
        ("figure: sweep, series: [pftk", "figure: sweep, panel: b, series: [pftk", 9, ["one of a"]),
        ("figure: sweep, series: [pftk", "figure: path, series: [pftk", 9, ["no such data"]),
        ("series: [linux, mathis]", "series: [pftk, mathis]", 10, ["linux measures"]),
        ("series: [pftk, mathis]", "series: [linux, mathis]", 9, ["measured by linux"]),
        ("series: [pftk, mathis]", "series: mathis", 9, ["2 to 20 reading"]),
        ("model: mathis,", "model: mathhis,", 17, ["did you mean mathis"]),
        ("scenario: small, set", "scenario: smal, set", 17, ["did you mean small"]),
        ("loss.probability: 0.04", "loss.probabilty: 0.04", 17, ["loss.probabilty"]),
        ("quantity: goodput_pps", "quantity: goodput_ps", 17, ["did you mean goodput_pps"]),
        ("erratum: rounded-rate", "erratum: rounded-rat", 14, ["did you mean rounded-rate"]),
        ("curve: mathis.window_", "curve: mathis.windw_", 23, ["did you mean mathis.window_saw"]),
        ("with: {teeth: 1}", "with: {tooth: 1}", 23, ["no option 'tooth'", "allowed: teeth"]),
        ("kind: ordering", "kind: odering", 7, ["did you mean ordering", "crossing"]),
        ("below: 100", "belw: 100", 15, ["unknown key", "below"]),
        ("predicate: {kind: bound, below: 100}", "predicate: {kind: bound}", 15, ["above or at"]),
        ('printed: "16.3"', 'printed: "16.3", percent: 1', 21, ["exactly one of printed"]),
        ('printed: "16.3"', "of: 0, percent: 5", 21, ["within per cent of 0: give a tolerance"]),
        ('printed: "16.3"', "percent: 5", 23, ["within takes 2 to 20 reading(s), not 1"]),
        ("kind: ordering}", "kind: crossing, between: [1, 2], side: over}", 7, ["above, below"]),
        ("id: rate", "id: above", 11, ["another claim"]),
        ('untestable: {linux: "it is gone"}', "note: gone", 24, ["untestable with a reason"]),
        ("source: mathis", "source: matis", 1, ["must be mathis"]),
        (
            "{figure: sweep, series: [pftk, mathis]}",
            "{figure: sweep, series: [pftk, mathis], over: [0.2, 0.4]}",
            9,
            [".over: has no point between 0.2 and 0.4: p goes from 0.0001 to 0.1"],
        ),
        (
            "{figure: sweep, series: [pftk, mathis]}",
            "{figure: sweep, series: [pftk, mathis], over: [0.1, 0.01]}",
            9,
            ["the lower end comes first"],
        ),
        ('statement: "The window', 'statment: "The window', 20, ["did you mean statement"]),
    ],
)
def test_an_invalid_claim_is_reported_with_line_and_message(
    load: Load, old: str, new: str, line: int, messages: list[str]
) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(ConfigurationError) as error:
        load(GOOD.replace(old, new))
    report = error.value.report()
    assert f"mathis.yaml:{line}: " in report
    for message in messages:
        assert message in report


def test_a_simulated_curve_is_evidence_of_the_simulator(load: Load) -> None:
    drawn = "model: {curve: mathis.window_sawtooth, scenario: small, with: {teeth: 1}, landmark: W}"
    simulated = (
        "packet: {curve: simulator.trajectory, scenario: small, "
        "with: {quantity: window, start_s: 0, stop_s: 5}, landmark: largest}"
    )
    load(GOOD.replace(drawn, simulated))
    with pytest.raises(ConfigurationError, match="nothing is read here that packet measures"):
        load(GOOD.replace(drawn, drawn.replace("model:", "packet:", 1)))


def test_messages_name_claims_by_their_id(load: Load) -> None:
    for old, key in (
        ("model: mathis,", "claims[1] (rate).data.model.xmodel: "),
        ("printed: ", "claims[2] (peak).predicate.xprinted: "),
    ):
        with pytest.raises(ConfigurationError) as error:
            load(GOOD.replace(old, f"x{old}"))
        assert key in error.value.report()


def test_a_wrong_quantity_is_one_message(load: Load) -> None:
    with pytest.raises(ConfigurationError) as error:
        load(GOOD.replace("goodput_pps", "goodput_mbps"))
    (problem,) = error.value.problems
    assert "did you mean goodput_" in problem.message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("series: [pftk, mathis]", "series: [pftk, mathis], over: [0.02, 0.03]", "range"),
        ("landmark: W", "landmark: V", "no landmark 'V'"),
        ("probability: 0.04", "probability: 0", "gives no value"),
    ],
)
def test_an_impossible_evaluation_is_an_error(
    load: Load, data: Known, old: str, new: str, message: str
) -> None:
    claims = load(GOOD.replace(old, new))
    with pytest.raises(ConfigurationError, match=message) as error:
        judgements_of(claims, data())
    assert "mathis.yaml:" in str(error.value)
    assert "claim " in str(error.value)


@pytest.mark.parametrize(("above", "verdict"), [(1.0, "undecided"), (-0.5, "contradicted")])
def test_a_model_without_a_value_at_some_points_does_not_hold_everywhere(
    load: Load, data: Known, tmp_path: Path, above: float, verdict: str
) -> None:
    known = data(above)
    path, frame = swept(tmp_path)
    frame.loc[(frame["series"] == "mathis") & (frame["x"] == 3), "y"] = float("nan")
    frame.to_csv(path, index=False)
    found = judgements_of(load(GOOD), known)[0]
    assert found.verdict == verdict
    assert found.note.endswith("; points without a value: 1")


NO_VALUE = ("probability: 0.04", "probability: 0")
FEW_POINTS = ("[pftk, mathis]}", "[pftk, mathis], over: [0.05, 0.06]}")


@pytest.mark.parametrize(
    ("change", "conditions", "why"),
    [
        (NO_VALUE, {"equations": "printed"}, "as printed"),
        (FEW_POINTS, {"precision": "draft"}, "in a draft"),
    ],
    ids=["a model as printed", "the few points of a draft"],
)
def test_a_value_missing_as_printed_or_in_a_draft_is_undecided(
    load: Load, data: Known, change: tuple[str, str], conditions: dict[str, str], why: str
) -> None:
    every = judgements_of(load(GOOD.replace(*change)), data(**conditions))
    (found,) = (judgement for judgement in every if why in judgement.note)
    assert found.verdict == "undecided"


@pytest.mark.parametrize(
    ("change", "precision"), [(NO_VALUE, "draft"), (FEW_POINTS, "paper")], ids=["draft", "paper"]
)
def test_other_missing_values_stop_the_run(
    load: Load, data: Known, change: tuple[str, str], precision: Precision
) -> None:
    claims, known = load(GOOD.replace(*change)), data(precision=precision)
    with pytest.raises(ConfigurationError):
        judgements_of(claims, known)


@pytest.mark.parametrize(
    ("folder", "old", "found"),
    [
        ("claims", "figure: sweep", "4 claims of mathis, no errors"),
        ("printed", "claim: fourteen-hundred", "4 printed numbers of mathis, no errors"),
    ],
)
def test_check_reads_the_files_in_the_folders_beside_it(
    tmp_path: Path, folder: str, old: str, found: str
) -> None:
    copytree(ROOT / "config" / "test", tmp_path, dirs_exist_ok=True)
    file = tmp_path / folder / "mathis.yaml"
    assert check_document(read(file)).found == found
    file.write_text(file.read_text("utf-8").replace(old, f"{old}x", 1), "utf-8")
    with pytest.raises(ConfigurationError, match=f"no {old.replace(': ', ' .')}x'"):
        check_document(read(file))


CHANGED = """
    changed:
      - {was: "ratio ≥ 0.5", is: "first < second", why: "the text says so"}
"""


def test_a_changed_claim_is_reported_with_its_three_words(load: Load, data: Known) -> None:
    claims = load(with_more(CHANGED))
    row = judgements_of(claims, data())[0].record()
    words = ("ratio ≥ 0.5", "first < second", "the text says so")
    assert tuple(row[name] for name in ("joint", "was", "is", "why")) == ("holds", *words)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('is: "first < second"', 'is: "first < third"', "tests today: first < second | no"),
        ('is: "first < second", ', "", "is required"),
        (', why: "the text says so"', "", "is required"),
        ('was: "ratio ≥ 0.5", ', "", "is required"),
    ],
)
def test_a_change_needs_three_words_of_which_one_is_today_s_test(
    load: Load, old: str, new: str, message: str
) -> None:
    assert CHANGED.count(old) == 1
    with pytest.raises(ConfigurationError) as error:
        load(with_more(CHANGED.replace(old, new)))
    assert message in error.value.report()


def test_a_former_test_replaces_predicate_and_ranges() -> None:
    selection = {"figure": "sweep", "series": "packet", "over": [1, 2]}
    claim = Claim.model_validate(
        {
            "id": "a-claim",
            "where": "1",
            "statement": "A statement.",
            "predicate": {"kind": "bound", "above": 2},
            "data": {"packet": selection},
            "chosen": "this",
            "open": [{"setting": "that", "data": {"packet": selection}}],
        }
    )
    weaker = claim.before(Former.model_validate({"predicate": {"kind": "bound", "above": 1}}))
    assert [reading.over for reading in weaker.data["packet"]] == [[1, 2]]
    assert weaker.predicate == Bound(kind="bound", above=1)
    everywhere = claim.before(Former(over="all"))
    assert everywhere.predicate == claim.predicate
    readings = [*everywhere.data["packet"], *everywhere.open[0].data["packet"]]
    assert [reading.over for reading in readings] == [None, None]
    with pytest.raises(ValueError, match="needs the former predicate"):
        Former()
