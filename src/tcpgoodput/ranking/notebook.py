"""The job that shows a comparison: it is described in a JSON file, and its notebook is run.

python -m tcpgoodput.ranking.notebook CONFIG NOTEBOOK FOLDER
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.files import write_text
from tcpgoodput.notebooks import run_notebook
from tcpgoodput.ranking.table import regime
from tcpgoodput.settings import Configuration, load_configuration


def description(configuration: Configuration) -> str:
    """Return all that showing the comparison depends on apart from its data, as JSON."""
    compared = configuration.comparison
    assert compared is not None  # or there is nothing to show
    regime_of = {
        scenario.id: regime(scenario)
        for stem in compared.scenarios
        for scenario in compared.rows(stem)
    }
    content = {
        "settings": compared.settings.model_dump(mode="json"),
        "stems": list(compared.scenarios),
        "regimes": regime_of,
        "style": configuration.style.palette.model_dump(mode="json"),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Describe the comparison and run its notebook; 2 means that the configuration was refused."""
    parser = argparse.ArgumentParser(prog="python -m tcpgoodput.ranking.notebook")
    parser.add_argument("--changes", type=json.loads, default={}, help="settings, as JSON")
    parser.add_argument("config", type=Path)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    try:
        configuration = load_configuration(arguments.config, arguments.changes)
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return 2
    path = arguments.folder / "comparison.json"
    write_text(path, description(configuration))
    run_notebook(arguments.notebook, arguments.folder / "comparison.ipynb", "comparison", path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
