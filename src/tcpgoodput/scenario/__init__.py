"""The scenario vocabulary, which describes one TCP connection, its path and its impairments."""

from tcpgoodput.scenario.content import random_stream, random_streams
from tcpgoodput.scenario.files import load_scenario, override, scenario_from
from tcpgoodput.scenario.vocabulary import Scenario

__all__ = [
    "Scenario",
    "load_scenario",
    "override",
    "random_stream",
    "random_streams",
    "scenario_from",
]
