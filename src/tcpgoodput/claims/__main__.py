"""Put every claim to the test, publish the verdicts, and run the notebook that shows them.

python -m tcpgoodput.claims CONFIG NOTEBOOK RESULTS
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tcpgoodput.claims.evaluation import claims_csv, evaluate
from tcpgoodput.claims.ledger import description
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.files import write_text
from tcpgoodput.notebooks import run_notebook
from tcpgoodput.settings import load_configuration


def main() -> int:
    """Run; 2 means a bad configuration, or a claim that cannot be evaluated."""
    parser = argparse.ArgumentParser(prog="python -m tcpgoodput.claims")
    parser.add_argument("--changes", type=json.loads, default={}, help="settings, as JSON")
    parser.add_argument("config", type=Path)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("results", type=Path)
    arguments = parser.parse_args()
    try:
        configuration = load_configuration(arguments.config, arguments.changes)
        judgements = evaluate(configuration, arguments.results)
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return 2
    write_text(arguments.results / "claims.csv", claims_csv(judgements))
    described = arguments.results / "claims.json"
    write_text(described, description(configuration, judgements))
    run_notebook(arguments.notebook, arguments.results / "claims.ipynb", "ledger", described)
    return 0


if __name__ == "__main__":
    sys.exit(main())
