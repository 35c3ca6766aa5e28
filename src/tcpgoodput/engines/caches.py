"""Build caches in advance, because parallel jobs would build them at the same time.

python -m tcpgoodput.engines.caches
"""

from __future__ import annotations

import matplotlib.font_manager

from tcpgoodput.engines.names import PACKET
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.models import MODELS


def build() -> None:
    """Build matplotlib's list of fonts, and compile the models and the simulator."""
    print(f"{len(matplotlib.font_manager.fontManager.ttflist)} fonts")
    for model in MODELS.values():
        model.compile()
    ENGINES[PACKET].compile()


if __name__ == "__main__":
    build()
