"""What the shell of every job knows before its command: `run` and `brief` run a module of ours.

`run` starts a process of its own for it; `brief` asks the process that has loaded what brief jobs
need, see `brief.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote

SINGLE_THREADED = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
"""Linear algebra takes one thread: with several, the last digits of its sums depend on how many
cores there are, and on a busy machine they wait for each other far longer than they work."""

FORKED = Path(__file__).with_name("forked.py")


def prefix(results: str) -> str:
    """Return what each command begins with, for results in a folder.

    Braces are doubled, as in all that Snakemake formats.
    """
    named = {"python": sys.executable, "forked": str(FORKED), "results": results}
    values = "; ".join(f"{name}={quote(value)}" for name, value in named.items())
    threads = " ".join(f"{name}={value}" for name, value in SINGLE_THREADED.items())
    run = 'run() { "$python" -m "$@"; }'
    brief = 'brief() { "$python" -IS "$forked" "$@"; }'
    text = f"set -euo pipefail; {values}; export {threads}; {run}; {brief}; "
    return text.replace("{", "{{").replace("}", "}}")
