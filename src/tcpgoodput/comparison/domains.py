"""The frozen domains of all models: what status each had on fixed connections, as a digest.

python -m tcpgoodput.comparison.domains

writes `data/domains.json`. The held-out connections judge only models whose domains were frozen
before the connections were drawn. So who changes a domain gives `config/heldout.yaml` a new seed,
and freezes the domains again; the same seed is refused.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import sys
from collections.abc import Mapping
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
"""The random sample whose first points are evaluated, and the held-out connections."""

SCENARIOS = Path("config/scenarios")
"""The scenarios of the matrix, which are evaluated, too: each is in the domain of some model."""

POINTS = 1024
"""Number of points of the random sample on which domains are compared."""


def fixed_scenarios() -> list[Scenario]:
    """Return the connections on which domains are compared."""
    sample = [connection.scenario for connection in drawn(load_census(FIXED), Chunk(0, POINTS))]
    return [*load_scenarios(SCENARIOS).values(), *sample]


def digest_of(model: Model, scenarios: list[Scenario]) -> str:
    """Return a digest of the statuses that a model has on some scenarios."""
    statuses = [p.status for p in predictions(model, scenarios, Conditions(precision="draft"))]
    return hashlib.sha256(" ".join(statuses).encode()).hexdigest()[:16]


def digests() -> dict[str, str]:
    """Return the digest of each model's statuses on the fixed connections."""
    scenarios = fixed_scenarios()
    return {model.name: digest_of(model, scenarios) for model in MODELS.values()}


def changed(frozen: Mapping[str, Any], now: Mapping[str, str]) -> list[str]:
    """Return the models whose domains are others than the frozen ones, or that are new or gone."""
    before = frozen["models"]
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def freeze() -> str:
    """Write the digests of today; return what was done.

    Raises:
        ConfigurationError: domains have changed since the held-out connections were drawn.

    """
    seed, now = load_census(HELD_OUT).census.seed, digests()
    if FILE.is_file():
        frozen = json.loads(FILE.read_text(encoding="utf-8"))
        others = changed(frozen, now)
        if not others:
            return f"{FILE}: no domain has changed since {frozen['frozen']}"
        if frozen["held_out_seed"] == seed:
            message = (
                f"the domains of {', '.join(others)} have changed since {frozen['frozen']}: draw "
                "the held-out connections anew, with a seed that nobody has used"
            )
            raise refused(HELD_OUT, "seed", message)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    write_text(FILE, as_json({"frozen": today, "held_out_seed": seed, "models": now}))
    return f"{FILE}: the domains of {len(now)} models are frozen"


def main() -> int:
    """Freeze the domains; 2 means that a new seed is needed."""
    return run_job(job_parser("tcpgoodput.comparison.domains"), lambda _: print(freeze()))


if __name__ == "__main__":
    sys.exit(main())
