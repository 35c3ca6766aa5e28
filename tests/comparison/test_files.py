"""Each fault of a comparison's file gives one message with file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.comparison.files import load_comparison
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.models import MODELS
from tests import shipped

PLAIN = """\
id: plain
title: Plain
tcp: {variant: newreno, mss_bytes: 1000}
path: {rate_bps: 1e7, forward_delay_s: 0.05, backward_delay_s: 0.05}
"""
B2 = "variations: {b2: {label: L, set: {tcp.ack_every: 2}}}"
MAP = """\
maps:
  a_map:
    title: T
    caption: C
    scenario:
      title: S
      tcp: {variant: newreno, mss_bytes: 1000}
      path: {rate_bps: 1e7, forward_delay_s: 0.05, backward_delay_s: 0.05}
    first: [mathis, pftk]
    x:
      variable: p
      label: P
      values: {listed: [0.1, 0.2]}
      set: {loss: {process: bernoulli, probability: "= p"}}
    y: {variable: w, label: W, values: {listed: [5, 9]}, set: {tcp.max_window_packets: "= w"}}
"""


def comparison(folder: Path, text: str, **scenarios: str) -> Path:
    (folder / "scenarios").mkdir()
    for name, content in scenarios.items():
        (folder / "scenarios" / f"{name}.yaml").write_text(content, encoding="utf-8")
    path = folder / "comparison.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_comparison_has_every_scenario_and_variation() -> None:
    compared = shipped.comparison()
    rows = [s for stem in compared.scenarios for s in compared.rows(stem).values()]
    ids = [scenario.id for scenario in rows]
    of_some = [v for v in compared.settings.variations.values() if v.only]
    of_all = 1 + len(compared.settings.variations) - len(of_some)
    expected = of_all * len(compared.scenarios) + sum(len(v.only) for v in of_some)
    assert len(set(ids)) == len(ids) == expected
    assert len(compared.scenarios) >= 31
    assert {(s.tcp.stack, s.tcp.ack_every) for s in rows} == {
        (stack, b) for stack in (None, "linux-6.18") for b in (1, 2)
    }


def test_newreno_hand_off_scenarios_also_use_the_studys_sender() -> None:
    compared = shipped.comparison()
    own = [s for s in compared.scenarios.values() if s.handoffs and s.tcp.variant == "newreno"]
    assert set(compared.settings.variations["steady"].only) == {s.id for s in own}
    for stem in compared.scenarios:
        for row in compared.rows(stem).values():
            is_varied = row.id.endswith("-steady")
            assert (row.tcp.recovery == "slow-but-steady") == is_varied


def test_a_variation_applies_only_to_the_scenarios_in_only(tmp_path: Path) -> None:
    text = "variations: {b2: {label: L, only: [plain], set: {tcp.ack_every: 2}}}"
    other = PLAIN.replace("id: plain", "id: other")
    compared = load_comparison(comparison(tmp_path, text, plain=PLAIN, other=other))
    assert [s.id for s in compared.rows("plain").values()] == ["plain", "plain-b2"]
    assert list(compared.rows("other")) == [""]


def test_an_expression_can_use_rate_and_round_trip_of_the_scenario(tmp_path: Path) -> None:
    text = 'sensitivity: {small: {label: L, set: {path.buffer_packets: "= rate_pps * rtt_s / 5"}}}'
    compared = load_comparison(comparison(tmp_path, text, plain=PLAIN))
    (varied,) = compared.sensitivities("plain").values()
    assert (varied.id, varied.path.buffer_packets) == ("plain-small", 25)


def test_a_maps_points_are_scenarios(tmp_path: Path) -> None:
    compared = load_comparison(comparison(tmp_path, MAP, plain=PLAIN))
    cells = list(compared.cells("a_map", "draft"))
    assert [(c.x, c.y) for c in cells] == [(0.1, 5), (0.2, 5), (0.1, 9), (0.2, 9)]
    assert cells[3].scenario.tcp.max_window_packets == 9
    assert cells[3].scenario.loss.probability == 0.2  # type: ignore[union-attr]


def test_a_map_draws_all_models_but_those_left_out(tmp_path: Path) -> None:
    everyone = MAP.replace("    first:", "    leave_out: [cubic]\n    first:")
    path = comparison(tmp_path, f"leave_out: [altman]\n{everyone}", plain=PLAIN)
    drawn = load_comparison(path).drawn("a_map")
    assert drawn[:3] == ["mathis", "pftk", "delay_spikes.lossless"]
    assert sorted([*drawn, "altman", "cubic"]) == sorted(MODELS.names())


def test_the_shipped_maps_draw_one_model_per_kind_in_the_same_order() -> None:
    compared = shipped.comparison()
    drawn = ["mathis", "pftk", "packet_trains", "handoffs"]
    drawn += ["delay_spikes.lossy", "variable_capacity.closed_form"]
    assert compared.drawn("burst_loss") == compared.drawn("handoff_batch") == drawn
    assert compared.drawn("loss_rtt") == [model for model in drawn if model != "handoffs"]


def test_a_map_must_draw_something(tmp_path: Path) -> None:
    nobody = MAP.replace("    first: [mathis, pftk]\n", "")
    path = comparison(tmp_path, f"leave_out: [{', '.join(MODELS.names())}]\n{nobody}", plain=PLAIN)
    with pytest.raises(ConfigurationError, match=r"maps.a_map: leaves out every model"):
        load_comparison(path)


@pytest.mark.parametrize(
    ("text", "scenarios", "words"),
    [
        ("scenarios: scenarios", {"a": PLAIN, "b": PLAIN}, ["b.yaml:1", "id", "a.yaml"]),
        ("scenarios: scenarois", {"a": PLAIN}, ["comparison.yaml:1", "scenarois"]),
        ("scenarios: scenarios", {}, ["comparison.yaml:1", "scenarios", "no scenario in"]),
        ("scenaros: scenarios", {"a": PLAIN}, ["scenaros", "scenarios"]),
        (B2.replace("every", "evry"), {"a": PLAIN}, ["variations.b2.set", "plain", "ack_evry"]),
        (
            "sensitivity: {b2: {label: L, only: [plan], set: {tcp.ack_every: 2}}}",
            {"a": PLAIN},
            ["sensitivity.b2.only", "'plan'", "mean plain"],
        ),
        (B2.replace("2}", '"= rate"}'), {"a": PLAIN}, ["variations.b2.set", "rate_pps"]),
        (MAP.replace("[mathis, pftk]", "[mathis, pfkt]"), {"a": PLAIN}, ["pfkt", "mean pftk"]),
        (
            MAP.replace(
                "    first: [mathis,", "    leave_out: [cubic, cubik]\n    first: [mathis,"
            ),
            {"a": PLAIN},
            ["comparison.yaml:9", "leave_out[1]", "cubik", "did you mean cubic?"],
        ),
        (
            MAP.replace("pftk]", "pftk, mathis]"),
            {"a": PLAIN},
            ["comparison.yaml:9", "first[2]", "mathis is listed twice"],
        ),
        (
            MAP.replace("    first:", "    leave_out: [pftk]\n    first:"),
            {"a": PLAIN},
            ["comparison.yaml:10", "first[1]", "pftk is left out at the same time"],
        ),
        ("held: nowhere", {"a": PLAIN}, ["held", "nowhere"]),
        (
            B2,
            {"a": PLAIN.replace("id: plain", "id: lab-b2")},
            ["variations.b2", "id lab-b2 of a.yaml", "rename"],
        ),
        (
            f"{B2}\n{B2.replace('variations', 'sensitivity')}",
            {"a": PLAIN},
            ["sensitivity.b2", "`variations`"],
        ),
        (
            "families: [{label: A, models: [pftk]}, {label: B, models: [mathis, pftk]}]",
            {"a": PLAIN},
            ["families[1].models[1]", "pftk", "'A'"],
        ),
        (
            "families: [{label: A, models: [pftk]}, {label: A, models: [mathis]}]",
            {"a": PLAIN},
            ["families[1].label", "another family", "'A'"],
        ),
        (
            "families: [{label: A, models: [pfkt]}]",
            {"a": PLAIN},
            ["families[0].models[0]", "mean pftk"],
        ),
        (MAP.replace("[0.1, 0.2]", "[0.1, 2]"), {"a": PLAIN}, ["maps.a_map", "x = 2"]),
        (MAP.replace("variant: newreno", "variant: newrno"), {"a": PLAIN}, ["newrno", "newreno"]),
    ],
)
def test_an_invalid_comparison_is_one_message_with_its_place(
    tmp_path: Path, text: str, scenarios: dict[str, str], words: list[str]
) -> None:
    path = comparison(tmp_path, text, **scenarios)
    with pytest.raises(ConfigurationError) as refused:
        load_comparison(path)
    for word in words:
        assert word in str(refused.value)
    assert len(refused.value.problems) == 1
