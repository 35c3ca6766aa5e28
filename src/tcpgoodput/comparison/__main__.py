"""Compare the models on one scenario's file, or over one map.

python -m tcpgoodput.comparison CONFIG scenario|map NAME OUTPUT
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tcpgoodput.comparison.files import load_comparison
from tcpgoodput.comparison.jobs import scenario_json, write_map
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.files import write_text
from tcpgoodput.settings import load_settings


def main() -> int:
    """Run; 2 means that the configuration was refused."""
    parser = argparse.ArgumentParser(prog="python -m tcpgoodput.comparison")
    parser.add_argument("--changes", type=json.loads, default={}, help="settings, as JSON")
    parser.add_argument("config", type=Path)
    parser.add_argument("what", choices=["scenario", "map"])
    parser.add_argument("name")
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    try:
        settings = load_settings(arguments.config, arguments.changes)
        assert settings.comparison is not None  # or there would be no such job
        compared = load_comparison(arguments.config.parent / settings.comparison)
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return 2
    if arguments.what == "scenario":
        text = scenario_json(compared, arguments.name, settings.conditions)
        write_text(arguments.output, text)
    else:
        write_map(compared, arguments.name, settings.conditions, arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
