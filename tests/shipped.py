"""The project's own configuration, loaded once in each process, which takes seconds.

Tests that change a configuration load their own.
"""

from __future__ import annotations

from functools import cache

from tcpgoodput.comparison.files import Compared, load_comparison
from tcpgoodput.project.settings import Configuration, load_configuration
from tests.folders import ROOT


@cache
def configuration() -> Configuration:
    """Return the settings in `config/config.yaml`, and every file that they name."""
    return load_configuration(ROOT / "config" / "config.yaml")


@cache
def comparison() -> Compared:
    """Return the comparison of all models in `config/comparison.yaml`."""
    return load_comparison(ROOT / "config" / "comparison.yaml")
