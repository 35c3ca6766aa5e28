"""TCP over wireless links, recomputed: five studies on one scenario vocabulary.

    >>> import tcpgoodput
    >>> link = tcpgoodput.load("config/scenarios/s02-independent-1e-2.yaml")
    >>> tcpgoodput.predict(link, models=["mathis", "pftk"])[["name", "status", "goodput_pps"]]
         name  status  goodput_pps
    0  mathis  native   122.474487
    1    pftk  native   107.111256

`link` says what measurements by other tools tell of a link, `load` reads a scenario, `models` lists
the models, `predict` evaluates them, `advise` recommends models without a simulation, `simulate`
measures the goodput, `compare` compares models with the simulation, and `sweep` does so over a
range of a scenario's keys. `explorer_command` is the command that opens the explorer on a scenario.

For the configured run, `study` computes the figures of one study, `open_study` also prepares a
notebook for them, `matrix` compares all models on all scenarios, `sample` reads a random sample of
connections, `validation` validates the models on held-out connections, `errors` reads all errors as
one table, `errors_by` summarises errors by group and `ratios_by` ratios of goodputs, `inputs` says
what each input of a prediction costs, `referees` compares the packet simulator with ns-2 and Linux,
`ledger` tests the claims of the studies, `requests` lists the connections that the packet simulator
must measure, and `measure` measures them.

Functions raise `ConfigurationError` or `ValueError` for bad input, `Undefined` if the simulator
finds no goodput, and `Unavailable` if an engine is not installed.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tcpgoodput.api.compare import Comparison, compare
    from tcpgoodput.api.errors import errors
    from tcpgoodput.api.inputs import inputs
    from tcpgoodput.api.ledger import ledger
    from tcpgoodput.api.link import MeasuredLink, link
    from tcpgoodput.api.load import enter_project, explorer_command, load
    from tcpgoodput.api.matrix import matrix
    from tcpgoodput.api.measurements import measure, requests
    from tcpgoodput.api.predict import advise, predict
    from tcpgoodput.api.referees import referees
    from tcpgoodput.api.sample import sample
    from tcpgoodput.api.simulate import Measurement, draw_window, simulate
    from tcpgoodput.api.study import open_study, study
    from tcpgoodput.api.sweep import draw_sweep, plot, sweep
    from tcpgoodput.api.validation import validation
    from tcpgoodput.comparison.errors import errors_by, errors_of_all, ratios_by
    from tcpgoodput.configuration import ConfigurationError
    from tcpgoodput.engines.base import Unavailable
    from tcpgoodput.models.listing import models
    from tcpgoodput.scenario import Scenario
    from tcpgoodput.scenario.types import Undefined

__all__ = [
    "Comparison",
    "ConfigurationError",
    "MeasuredLink",
    "Measurement",
    "Scenario",
    "Unavailable",
    "Undefined",
    "advise",
    "compare",
    "draw_sweep",
    "draw_window",
    "enter_project",
    "errors",
    "errors_by",
    "errors_of_all",
    "explorer_command",
    "inputs",
    "ledger",
    "link",
    "load",
    "matrix",
    "measure",
    "models",
    "open_study",
    "plot",
    "predict",
    "ratios_by",
    "referees",
    "requests",
    "sample",
    "simulate",
    "study",
    "sweep",
    "validation",
]

_PLACES = {
    "Comparison": "tcpgoodput.api.compare",
    "ConfigurationError": "tcpgoodput.configuration",
    "MeasuredLink": "tcpgoodput.api.link",
    "Measurement": "tcpgoodput.api.simulate",
    "Scenario": "tcpgoodput.scenario",
    "Unavailable": "tcpgoodput.engines.base",
    "Undefined": "tcpgoodput.scenario.types",
    "advise": "tcpgoodput.api.predict",
    "compare": "tcpgoodput.api.compare",
    "draw_sweep": "tcpgoodput.api.sweep",
    "draw_window": "tcpgoodput.api.simulate",
    "enter_project": "tcpgoodput.api.load",
    "errors": "tcpgoodput.api.errors",
    "errors_by": "tcpgoodput.comparison.errors",
    "errors_of_all": "tcpgoodput.comparison.errors",
    "explorer_command": "tcpgoodput.api.load",
    "inputs": "tcpgoodput.api.inputs",
    "ledger": "tcpgoodput.api.ledger",
    "link": "tcpgoodput.api.link",
    "load": "tcpgoodput.api.load",
    "matrix": "tcpgoodput.api.matrix",
    "measure": "tcpgoodput.api.measurements",
    "open_study": "tcpgoodput.api.study",
    "plot": "tcpgoodput.api.sweep",
    "predict": "tcpgoodput.api.predict",
    "ratios_by": "tcpgoodput.comparison.errors",
    "referees": "tcpgoodput.api.referees",
    "requests": "tcpgoodput.api.measurements",
    "sample": "tcpgoodput.api.sample",
    "simulate": "tcpgoodput.api.simulate",
    "study": "tcpgoodput.api.study",
    "sweep": "tcpgoodput.api.sweep",
    "validation": "tcpgoodput.api.validation",
}
"""For each public name, the module that defines it; the module is imported when the name is first
used. Every job of the workflow imports this package, and a job runs again if the code of a module
that it imports has changed. So this package imports none of these modules itself."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.metadata.version("tcpgoodput")
    if name == "models":  # a submodule that can also be called: it then lists the models
        return importlib.import_module("tcpgoodput.models")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(importlib.import_module(_PLACES[name]), name)
    return found


def __dir__() -> list[str]:
    own = (name for name in globals() if name.startswith("__") and name.endswith("__"))
    return sorted({*own, *__all__, "__version__"} - {"__getattr__", "__dir__"})
