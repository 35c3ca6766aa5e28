"""TCP over wireless links, recomputed: five studies on one scenario vocabulary.

    >>> import tcpgoodput
    >>> link = tcpgoodput.load("config/scenarios/s02-independent-1e-2.yaml")
    >>> tcpgoodput.predict(link, models=["mathis", "pftk"])[["name", "status", "goodput_pps"]]
         name  status  goodput_pps
    0  mathis  native   122.474487
    1    pftk  native   107.111256

`load` reads a scenario, `models` lists the models, `predict` asks them, `advise` says which models
to take without a simulation, `simulate` measures, `compare` puts models and simulation side by
side, `sweep` does so along a key of the scenario. Of the configured run, `study` computes the
figures of one study, `matrix` puts all models on all scenarios, `sample` reads a random sample,
`requests` and `measure` are what the packet simulator is asked. What raises, raises
`ConfigurationError` or `ValueError` for bad input, `Undefined` where the simulator has no goodput
to find, `Unavailable` where an engine is not at hand.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tcpgoodput.configuration import ConfigurationError
    from tcpgoodput.engines.base import Unavailable
    from tcpgoodput.models.listing import models
    from tcpgoodput.public.advise import advise
    from tcpgoodput.public.compare import Comparison, compare
    from tcpgoodput.public.load import load
    from tcpgoodput.public.matrix import matrix
    from tcpgoodput.public.measurements import measure, requests
    from tcpgoodput.public.place import enter_project
    from tcpgoodput.public.plot import draw_sweep, draw_window, plot
    from tcpgoodput.public.predict import predict
    from tcpgoodput.public.sample import sample
    from tcpgoodput.public.simulate import Measurement, simulate
    from tcpgoodput.public.study import study
    from tcpgoodput.public.sweep import sweep
    from tcpgoodput.scenario import Scenario
    from tcpgoodput.scenario.undefined import Undefined

__all__ = [
    "Comparison",
    "ConfigurationError",
    "Measurement",
    "Scenario",
    "Unavailable",
    "Undefined",
    "advise",
    "compare",
    "draw_sweep",
    "draw_window",
    "enter_project",
    "load",
    "matrix",
    "measure",
    "models",
    "plot",
    "predict",
    "requests",
    "sample",
    "simulate",
    "study",
    "sweep",
]

_PLACES = {
    "Comparison": "tcpgoodput.public.compare",
    "ConfigurationError": "tcpgoodput.configuration",
    "Measurement": "tcpgoodput.public.simulate",
    "Scenario": "tcpgoodput.scenario",
    "Unavailable": "tcpgoodput.engines.base",
    "Undefined": "tcpgoodput.scenario.undefined",
    "advise": "tcpgoodput.public.advise",
    "compare": "tcpgoodput.public.compare",
    "draw_sweep": "tcpgoodput.public.plot",
    "draw_window": "tcpgoodput.public.plot",
    "enter_project": "tcpgoodput.public.place",
    "load": "tcpgoodput.public.load",
    "matrix": "tcpgoodput.public.matrix",
    "measure": "tcpgoodput.public.measurements",
    "plot": "tcpgoodput.public.plot",
    "predict": "tcpgoodput.public.predict",
    "requests": "tcpgoodput.public.measurements",
    "sample": "tcpgoodput.public.sample",
    "simulate": "tcpgoodput.public.simulate",
    "study": "tcpgoodput.public.study",
    "sweep": "tcpgoodput.public.sweep",
}
"""Where each name is at home. Nothing is imported before it is asked for: every job of the workflow
imports this package, and depends on whatever this module imports."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.metadata.version("tcpgoodput")
    if name == "models":  # the package, which lists the models when it is called
        return importlib.import_module("tcpgoodput.models")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(importlib.import_module(_PLACES[name]), name)
    return found


def __dir__() -> list[str]:
    own = (name for name in globals() if name.startswith("__") and name.endswith("__"))
    return sorted({*own, *__all__, "__version__"} - {"__getattr__", "__dir__"})
