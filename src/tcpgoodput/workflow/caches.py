"""Build a cache that parallel jobs would race for.

python -m tcpgoodput.workflow.caches fonts|models|engines
"""

from __future__ import annotations

import argparse

from tcpgoodput.engines.every import ENGINES
from tcpgoodput.engines.names import REFERENCE


def warm_fonts() -> None:
    """Build matplotlib's list of fonts."""
    import matplotlib.font_manager

    print(f"{len(matplotlib.font_manager.fontManager.ttflist)} fonts")


def warm_models() -> None:
    """Compile the models' kernels into numba's cache."""
    from tcpgoodput.models import MODELS

    for model in MODELS.values():
        model.compile()


def warm_engines() -> None:
    """Compile the packet simulator into numba's cache."""
    ENGINES[REFERENCE].compile()


CACHES = {"fonts": warm_fonts, "models": warm_models, "engines": warm_engines}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tcpgoodput.workflow.caches")
    parser.add_argument("cache", choices=CACHES)
    CACHES[parser.parse_args().cache]()
