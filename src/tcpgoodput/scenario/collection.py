"""A folder of scenarios: one file each, no two of one id."""

from __future__ import annotations

from pathlib import Path

from tcpgoodput.configuration import ConfigurationError, Problem, read
from tcpgoodput.configuration.strict_yaml import SUFFIX, misnamed
from tcpgoodput.scenario.files import scenario_from
from tcpgoodput.scenario.vocabulary import Scenario


def load_scenarios(folder: Path) -> dict[str, Scenario]:
    """Read every scenario file of a folder, by the stem of its name, in order.

    Raises:
        ConfigurationError: every problem in any of them; two files with one id.

    """
    problems = list(misnamed(folder))
    scenarios: dict[str, Scenario] = {}
    named: dict[str, Path] = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            document = read(path)
            scenario = scenario_from(document)
        except ConfigurationError as error:
            problems += error.problems
            continue
        if other := named.get(scenario.id):
            message = f"{scenario.id} is the id of {other}, too"
            problems.append(Problem(str(path), document.line(("id",)), "id", message))
        named[scenario.id] = path
        scenarios[path.stem] = scenario
    if problems:
        raise ConfigurationError(problems)
    return scenarios
