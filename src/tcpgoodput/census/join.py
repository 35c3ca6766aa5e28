"""Join the chunks of a census to one table.

python -m tcpgoodput.census.join REQUEST TABLE CHUNK…
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tcpgoodput.census.answer import asked
from tcpgoodput.census.table import join, origin_of
from tcpgoodput.jobs.command import job_parser, run_job


def work(arguments: argparse.Namespace) -> None:
    """Join the chunks, each of which must answer the request."""
    request = json.loads(arguments.request.read_text(encoding="utf-8"))
    rows = join(arguments.chunks, origin_of(asked(request)), arguments.table)
    print(f"{rows} connections in {len(arguments.chunks)} chunks")


def main() -> int:
    """Run the job; see `run_job`."""
    parser = job_parser("tcpgoodput.census.join", "request", "table")
    parser.add_argument("chunks", type=Path, nargs="+")
    return run_job(parser, work)


if __name__ == "__main__":
    sys.exit(main())
