"""Time a random sample of connections: its simulations, and the evaluation of all models.

python benchmarks/census.py [POINTS]

The first POINTS points of the census `connections` are measured on one core. From their CPU time
follow the times of 10^5 and 10^6 points on two idle cores.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from goals import against_goal

from tcpgoodput.comparison.census.design import Chunk
from tcpgoodput.comparison.census.measure import measure_chunk
from tcpgoodput.project.checked import checked

CENSUS = "connections"
CORES = 2


def main() -> None:
    """Print the CPU time for a point, and the times of larger samples."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("points", type=int, nargs="?", default=2048, help="that are measured")
    points = parser.parse_args().points
    found = checked("config/config.yaml", {})
    with tempfile.TemporaryDirectory() as folder:
        for chunk in (Chunk(0, 16), Chunk(0, points)):  # the first one compiles all code
            started = time.process_time()
            table = Path(folder, f"{chunk.name}.parquet")
            measure_chunk(found.censuses[CENSUS], found.settings.conditions, table)
            each_s = (time.process_time() - started) / points
    print(f"{1e3 * each_s:.1f} ms for a point, of {points}")
    print(against_goal("a random sample of 100 000 points", 1e5 * each_s / CORES / 60))
    print(f"a random sample of 1 000 000 points: {1e6 * each_s / CORES / 3600:.1f} h")


if __name__ == "__main__":
    main()
