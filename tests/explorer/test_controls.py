"""Each key of a scenario has an input control with the key's limits on the explorer's web page."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from pydantic import TypeAdapter, ValidationError

from tcpgoodput.configuration.documentation import documented_keys
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.content import scenario_keys
from tcpgoodput.scenario.controls import controls, every


def test_every_key_has_a_control() -> None:
    """The control of `arq.error` is a number; its other form, a channel, is typed as JSON."""
    tags = {f"{control['key']}.{control['tag']}" for control in every() if control.get("tag")}
    typed = {key for key in scenario_keys() if key.startswith("arq.error.")}
    assert len(typed) == 4  # process, both probabilities and clock
    assert {control["key"] for control in every()} | tags | typed == scenario_keys()


def test_a_control_has_the_description_of_the_schema() -> None:
    message = {(re.sub(r" \([^)]*\)", "", key.key), key.text) for key in documented_keys(Scenario)}
    assert len(message) > 50
    for control in every():
        assert control["text"]
        if control["kind"] != "part":
            assert (control["key"], control["text"]) in message


@pytest.mark.parametrize(
    ("key", "result"),
    [
        ("path.rate_bps", {"unit": "bit/s", "low": 0, "low_excluded": True, "required": True}),
        ("path.buffer_packets", {"unit": "packets", "kind": "whole", "low": 1, "optional": True}),
        ("tcp.ack_every", {"default": 1, "low": 1, "high": 1000, "high_excluded": False}),
        ("loss.probability", {"low": 0, "low_excluded": False, "high": 1, "high_excluded": True}),
        ("tcp.limited_transmit", {"kind": "flag", "default": True}),
        (
            "tcp.partial_window_deflation",
            {
                "kind": "choice",
                "options": ["deflated", "ssthresh", "unchanged"],
                "default": "deflated",
            },
        ),
        ("tcp.recovery", {"kind": "choice", "options": ["impatient", "slow-but-steady"]}),
        ("handoffs.delay_steps_s", {"kind": "list", "unit": "s"}),
        ("capacity.file", {"kind": "fixed"}),
    ],
)
def test_a_control_has_unit_range_and_default(key: str, result: dict) -> None:
    control = next(control for control in every() if control["key"] == key)
    assert {name: control[name] for name in result} == result


def test_limits_of_controls_equal_those_of_the_loader() -> None:
    """A scenario may have a control's smallest and largest value, but no value beyond them.

    A limit that the control excludes is not tried.
    """
    variant = {"variant": "sack", "mss_bytes": 1000}
    for control in next(c for c in controls() if c["key"] == "tcp")["members"][""]["controls"]:
        if control["kind"] not in ("number", "whole"):
            continue
        name = control["key"].split(".")[1]
        field = TypeAdapter(Scenario.model_fields["tcp"].annotation)
        for end, beyond in (("low", -1), ("high", 1)):
            value = control[end]
            data = {**variant, name: value + beyond * max(1, abs(value) / 2)}
            with pytest.raises(ValidationError):
                field.validate_python(data)
            if not control[f"{end}_excluded"]:
                field.validate_python({**variant, name: value})


def test_parts_with_a_tag_list_the_controls_of_each_kind() -> None:
    loss = next(control for control in controls() if control["key"] == "loss")
    assert loss["tag"] == "process"
    assert list(loss["members"]) == ["none", "bernoulli", "periodic", "gilbert-elliott"]
    assert max(Counter(c["key"] for c in loss["members"]["bernoulli"]["controls"]).values()) == 1
