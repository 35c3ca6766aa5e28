"""Build the caches that parallel jobs would race for.

python -m tcpgoodput.engines.caches
"""

from __future__ import annotations

import matplotlib.font_manager

from tcpgoodput.engines.names import REFERENCE
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.models import MODELS


def build() -> None:
    """Build matplotlib's list of fonts, and numba's code of models and of the simulator."""
    print(f"{len(matplotlib.font_manager.fontManager.ttflist)} fonts")
    for model in MODELS.values():
        model.compile()
    ENGINES[REFERENCE].compile()


if __name__ == "__main__":
    build()
