"""Put every claim to the test, publish the verdicts, and run the notebook that shows them.

python -m tcpgoodput.ledger PLAN NOTEBOOK RESULTS
"""

from __future__ import annotations

import argparse
import json
import sys

from tcpgoodput.jobs.command import job_parser, run_job
from tcpgoodput.jobs.notebooks import run_notebook
from tcpgoodput.ledger.evaluation import claims_csv, evaluate, readings_csv
from tcpgoodput.ledger.ledger import description
from tcpgoodput.project.resolved import restored
from tcpgoodput.storage.files import write_text
from tcpgoodput.studies.requests import load_code_of


def work(arguments: argparse.Namespace) -> None:
    """Evaluate the claims; one that cannot be evaluated is bad configuration, too."""
    request = json.loads(arguments.plan.read_text(encoding="utf-8"))
    load_code_of(request)
    configuration = restored(request)
    judgements = evaluate(configuration, arguments.results)
    write_text(arguments.results / "claims.csv", claims_csv(judgements))
    write_text(arguments.results / "claims_readings.csv", readings_csv(judgements))
    described = arguments.results / "claims.json"
    write_text(described, description(configuration, judgements))
    run_notebook(arguments.notebook, arguments.results / "claims.ipynb", {"ledger": described.name})


def main() -> int:
    """Run the job; see `run_job`."""
    return run_job(job_parser("tcpgoodput.ledger", "plan", "notebook", "results"), work)


if __name__ == "__main__":
    sys.exit(main())
