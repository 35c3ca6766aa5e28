"""The examples in config/README.md agree with the project's files, or are valid."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from tcpgoodput.studies.files import load_source
from tcpgoodput.style import load_style

CONFIG = Path(__file__).parents[2] / "config"


def example(heading: str) -> Any:
    """Return the content of the first YAML block below a heading of config/README.md."""
    section = (CONFIG / "README.md").read_text(encoding="utf-8").split(f"\n## {heading}\n")[1]
    found = re.search(r"```yaml\n(.*?)```", section, re.DOTALL)
    assert found is not None
    return yaml.safe_load(found[1])


def test_the_documented_example_claim_is_a_shipped_claim() -> None:
    (claim,) = example("A new claim")
    own = yaml.safe_load((CONFIG / "claims" / "packet_trains.yaml").read_text(encoding="utf-8"))
    assert claim in own["claims"]


def test_the_documented_example_figures_can_be_added(tmp_path: Path) -> None:
    own = yaml.safe_load((CONFIG / "figures" / "mathis.yaml").read_text(encoding="utf-8"))
    own["figures"] |= example("A new figure") | example("A figure like another one")
    file = tmp_path / "mathis.yaml"
    file.write_text(yaml.safe_dump(own, sort_keys=False), encoding="utf-8")
    source = load_source(file, load_style(CONFIG / "style.yaml"))
    assert {"my_figure", "my_other_figure"} <= source.figures.figures.keys()
