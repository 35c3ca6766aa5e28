"""Claims in every setting of the figures that they read, and the setting of most sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.api.ledger import Ledger, ledger
from tcpgoodput.comparison.claims.files import load_claims
from tcpgoodput.comparison.claims.verdicts import best_settings, sentences_that_hold
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.project.manifest import CELLS, read_contents
from tcpgoodput.studies.answering import answers, answers_path
from tcpgoodput.studies.files import load_source
from tests.claims.made_up import STYLE
from tests.folders import ROOT

TINY = ROOT / "config" / "test"
STUDIES = {
    file.stem: settings
    for file in sorted((ROOT / "config" / "figures").glob("*.yaml"))
    if (settings := load_source(file, STYLE).figures.settings)
}


def rows_of(outcomes: dict[tuple[str, str, str], str]) -> pd.DataFrame:
    """Return a table of settings: outcomes by setting, sentence and kind of evidence."""
    return pd.DataFrame(
        [
            {"group": "g", "setting": s, "title": s, "id": i, "evidence": e, "outcome": outcome}
            for (s, i, e), outcome in outcomes.items()
        ]
    )


def results_of(folder: Path) -> Path:
    source = load_source(TINY / "figures" / "mathis.yaml", STYLE)
    for name, figure in source.figures.figures.items():
        computed = answers(source.scenarios, figure, Conditions())
        path = answers_path(folder, "mathis", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(computed.rows, columns=computed.columns).to_csv(path, index=False)
    return folder


def test_a_claim_is_judged_in_every_setting_of_its_figure(tmp_path: Path) -> None:
    found = ledger(TINY / "config.yaml", results_of(tmp_path))
    verdicts = found.rows[found.rows["evidence"] == "model"].set_index("id")["verdict"]
    # 1419 kbit/s with packets of 1448 bytes, half of it with packets of half the size.
    assert verdicts["fourteen-hundred"] == "depends"
    assert verdicts["more-loss-less-throughput"] == "reproduced"
    found.save(tmp_path, None)
    rows = pd.read_csv(tmp_path / "mathis" / "settings.csv")
    own = rows[(rows["id"] == "fourteen-hundred") & (rows["evidence"] == "model")]
    assert dict(zip(own["setting"], own["outcome"], strict=True)) == {
        "drawn": "holds",
        "short_packets": "fails",
    }
    assert own["value"].iloc[1] == pytest.approx(own["value"].iloc[0] / 2, rel=1e-5)


def changed(folder: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Ledger:
    """Return the claims on results of which a change is made in the setting `short_packets`."""
    results = results_of(folder)
    path = answers_path(results, "mathis", "sweep_short_packets")
    change(pd.read_csv(path)).to_csv(path, index=False)
    return ledger(TINY / "config.yaml", results, precision="paper")


def test_a_setting_in_which_a_model_has_no_value_does_not_count(tmp_path: Path) -> None:
    columns = ["y", "y_low", "y_high"]
    found = changed(tmp_path, lambda f: f.assign(**f[columns].mask(f["series"] == "mathis")))
    [judgement] = [one for one in found.judgements if one.claim.id == "fourteen-hundred"]
    assert [one.word for one in judgement.outcomes] == ["holds", "no value"]
    # In the only setting with a value the claim holds, for the claim as for its printed number.
    assert judgement.verdict == "reproduced"
    numbers = found.printed_numbers
    [of_claim] = numbers[numbers["claim"] == "fourteen-hundred"].to_dict("records")
    assert (of_claim["agree"], of_claim["kind"]) == ("yes", "claim")


def test_a_setting_in_which_a_line_is_too_coarse_leaves_the_claim_undecided(tmp_path: Path) -> None:
    found = changed(tmp_path, lambda f: f[(f["series"] != "mathis") | (f["x"] < 0.009)])
    [judgement] = [one for one in found.judgements if one.claim.id == "fourteen-hundred"]
    assert [one.word for one in judgement.outcomes] == ["holds", "undecided"]
    assert judgement.outcomes[1].note == "no data at x = 0.01"
    assert judgement.verdict == "undecided"


def test_a_claim_about_another_setting_is_refused(tmp_path: Path) -> None:
    source = load_source(TINY / "figures" / "mathis.yaml", STYLE)
    text = (TINY / "claims" / "mathis.yaml").read_text(encoding="utf-8")
    file = tmp_path / "mathis.yaml"
    file.write_text(text.replace("figure: sweep", "figure: sweep_short_packets", 1), "utf-8")
    message = r"mathis.yaml:\d+: .*data.model.*is sweep in another setting; read sweep"
    with pytest.raises(ConfigurationError, match=message):
        load_claims(file, source)


def test_sentences_without_an_outcome_in_some_setting_do_not_count() -> None:
    outcomes = {("drawn", name, "ns2"): "holds" for name in "ab"} | {("other", "a", "ns2"): "fails"}
    counts = sentences_that_hold(rows_of(outcomes)).set_index("setting")
    assert counts.loc["drawn", "holds"] == 1
    assert counts.loc["other", "fails"] == 1


@pytest.mark.parametrize(
    ("other", "best"),
    [
        ({"a": "holds", "b": "holds"}, "other"),
        ({"a": "fails", "b": "holds"}, "drawn"),  # equal: the first of the file
        ({"a": "undecided", "b": "holds"}, "other"),  # as many hold, fewer fail
        ({"a": "fails", "b": "undecided"}, "drawn"),
    ],
)
def test_the_best_setting_is_that_of_most_sentences(other: dict[str, str], best: str) -> None:
    drawn = {("drawn", "a", "model"): "holds", ("drawn", "b", "model"): "fails"}
    others = {("other", name, "model"): outcome for name, outcome in other.items()}
    assert best_settings(rows_of(drawn | others)) == {"g": best}


def test_ns2_decides_only_between_equal_settings() -> None:
    drawn = {("drawn", "a", "model"): "holds", ("drawn", "b", "ns2"): "fails"}
    equal = {("other", "a", "model"): "holds", ("other", "b", "ns2"): "holds"}
    worse = {("other", "a", "model"): "undecided", ("other", "b", "ns2"): "holds"}
    assert best_settings(rows_of(drawn | equal)) == {"g": "other"}
    assert best_settings(rows_of(drawn | worse)) == {"g": "drawn"}


@pytest.mark.parametrize("study", STUDIES)
def test_no_setting_of_the_reference_run_is_better_than_the_drawn_one(study: str) -> None:
    name = f"results/{study}/settings.csv"
    rows = pd.DataFrame(read_contents(ROOT / "data" / "reference" / CELLS, [name])[name])
    groups = STUDIES[study]
    assert {str(group) for group in rows["group"]} == set(groups)
    for group, own in groups.items():
        assert set(rows.loc[rows["group"] == group, "setting"]) == {"drawn", *own.others}
    assert best_settings(rows) == dict.fromkeys(groups, "drawn")
