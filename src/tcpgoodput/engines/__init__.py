"""Engines: what measures a scenario instead of modelling it.

None is built yet. A figure's series may name one all the same: it is listed as waiting for it.
"""

ENGINES: dict[str, object] = {}
