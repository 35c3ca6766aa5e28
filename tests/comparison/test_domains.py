"""No model's domain has changed since the held-out connections were drawn.

A domain is the conditions under which a model's goodput counts as valid. The held-out connections
validate the models, so no domain may be adapted to them.
"""

from __future__ import annotations

import json

import pytest

from tcpgoodput.comparison import domains
from tcpgoodput.comparison.census.files import load_census
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.models import MODELS
from tests.folders import ROOT

pytestmark = pytest.mark.weekly

FROZEN = json.loads((ROOT / domains.FILE).read_text(encoding="utf-8"))


def test_no_domain_has_changed_since_the_connections_were_drawn() -> None:
    others = domains.changed(FROZEN, domains.digests(FROZEN["scenarios"]))
    assert not others, "give config/heldout.yaml a new seed; config/README.md has the command"


def test_the_connections_are_those_drawn_after_the_freeze() -> None:
    assert load_census(ROOT / domains.HELD_OUT).census.seed == FROZEN["held_out_seed"]


def test_a_changed_domain_has_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    model, scenarios = MODELS["mathis"], domains.fixed_scenarios(FROZEN["scenarios"])[:40]
    before = domains.digest_of(model, scenarios)
    monkeypatch.setattr(type(model), "outside_domain", lambda *_: "never in domain")
    assert domains.digest_of(model, scenarios) != before


def test_a_changed_domain_needs_a_new_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {**FROZEN["models"], "mathis": "another"}
    monkeypatch.setattr(domains, "digests", lambda _names: found)
    with pytest.raises(ConfigurationError, match=r"(?s)seed.*mathis"):
        domains.freeze()


def test_a_scenario_that_is_gone_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"scenarios: .*s00-gone"):
        domains.fixed_scenarios([*FROZEN["scenarios"], "s00-gone"])


@pytest.mark.parametrize("name", [name for name in MODELS.names() if name.startswith("bbr.")])
def test_a_model_of_no_held_out_connection_is_not_frozen(name: str) -> None:
    """No held-out connection has a BBR sender, so that none can validate a model of BBR."""
    assert (
        domains.digest_of(MODELS[name], domains.fixed_scenarios(FROZEN["scenarios"])[:40]) is None
    )
    assert name not in FROZEN["models"]


def test_each_model_is_in_domain_somewhere() -> None:
    """The models of BBR, which the fixed connections lack, have tests of their own."""
    others = {name for name in MODELS.names() if not name.startswith("bbr.")}
    assert set(FROZEN["models"]) == others
