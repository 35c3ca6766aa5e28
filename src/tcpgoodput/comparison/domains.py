"""Frozen domains of all models: a digest of each model's statuses (in or out of domain).

python -m tcpgoodput.comparison.domains

The command above evaluates the statuses on fixed connections and writes `data/domains.json`.
Held-out connections may validate a model only if the model's domain was frozen before they were
drawn. If you change a domain, set a new seed in `config/heldout.yaml`, and freeze the domains
again; the same seed is refused.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census.design import Chunk, drawn
from tcpgoodput.comparison.census.files import load_census
from tcpgoodput.configuration import refused
from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.models import MODELS
from tcpgoodput.models.base import Model
from tcpgoodput.models.predict import predictions
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.files import load_scenarios
from tcpgoodput.storage import as_json, write_text

FILE = Path("data/domains.json")
FIXED, HELD_OUT = Path("config/census/connections.yaml"), Path("config/heldout.yaml")
"""Files of the random sample on which domains are compared, and of the held-out connections."""

SCENARIOS = Path("config/scenarios")
"""Folder of the scenarios that the comparison's matrix shows. Domains are also compared on these,
because each scenario is in the domain of some model."""

POINTS = 1024
"""Number of points of the random sample on which domains are compared."""


def fixed_scenarios(names: Collection[str]) -> list[Scenario]:
    """Return the scenarios of these names, and the first connections of the random sample.

    Raises:
        ConfigurationError: a scenario does not exist any more.

    """
    written = load_scenarios(SCENARIOS)
    if missing := [name for name in names if name not in written]:
        message = f"the domains were frozen on {', '.join(missing)}: put them back into {SCENARIOS}"
        raise refused(FILE, "scenarios", message)
    sample = [connection.scenario for connection in drawn(load_census(FIXED), Chunk(0, POINTS))]
    return [*(written[name] for name in names), *sample]


def digest_of(model: Model, scenarios: list[Scenario]) -> str | None:
    """Return a digest of a model's statuses on scenarios; None if it is in domain on none of them.

    The held-out connections, which are of the same kinds, do not validate such a model.
    """
    statuses = [p.status for p in predictions(model, scenarios, Conditions(precision="draft"))]
    if not {"native", "reduced"} & set(statuses):
        return None
    return hashlib.sha256(" ".join(statuses).encode()).hexdigest()[:16]


def digests(names: Collection[str]) -> dict[str, str]:
    """Return the digest of each model that has one on `fixed_scenarios`, by the model's name."""
    scenarios = fixed_scenarios(names)
    found = {model.name: digest_of(model, scenarios) for model in MODELS.values()}
    return {name: digest for name, digest in found.items() if digest is not None}


def changed(frozen: Mapping[str, Any], now: Mapping[str, str]) -> list[str]:
    """Return the models whose domain differs from the frozen one, and added or removed models."""
    before = frozen["models"]
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def freeze() -> str:
    """Freeze the domains: write the current digests to `data/domains.json`; return a message.

    If domains have changed, the held-out connections need another seed than that used with the old
    domains.
    """
    seed, names = load_census(HELD_OUT).census.seed, list(load_scenarios(SCENARIOS))
    if FILE.is_file():
        frozen = json.loads(FILE.read_text(encoding="utf-8"))
        # A scenario that was added since changes no domain.
        others = changed(frozen, digests(frozen["scenarios"]))
        if not others:
            return f"{FILE}: no domain has changed since {frozen['frozen']}"
        if frozen["held_out_seed"] == seed:
            message = (
                f"the domains of {', '.join(others)} have changed since {frozen['frozen']}: draw "
                "the held-out connections anew, with a seed that nobody has used"
            )
            raise refused(HELD_OUT, "seed", message)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    now = digests(names)
    content = {"frozen": today, "held_out_seed": seed, "scenarios": names, "models": now}
    write_text(FILE, as_json(content))
    return f"{FILE}: the domains of {len(now)} models are frozen"


if __name__ == "__main__":
    sys.exit(run_job(job_parser(__spec__.name), lambda _: print(freeze())))
