"""The models as a table: `tcpgoodput.models()`."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from tcpgoodput.models.registry import MODELS

if TYPE_CHECKING:  # half a second that a prediction does not need
    import pandas as pd


def models() -> pd.DataFrame:
    """List every model: its source, its inputs, where it is at home.

    A model of one's own is listed, and asked by all other functions, once the module that
    registers it is imported.

    Returns:
        A row per model: `name`, `title`, `source`, `citation` (a key in paper/references.bib),
        `inputs` (keys of the scenario), `impairments` (that it describes), `domain`, `equation`
        (of the goodput X in packets/s, with its symbols).

    Example:
        >>> import tcpgoodput
        >>> known = tcpgoodput.models().set_index("name")
        >>> known.loc["mathis", "inputs"]
        ['tcp.mss_bytes', 'tcp.ack_every', 'path.forward_delay_s', 'path.backward_delay_s', 'loss']

    """
    import pandas as pd

    return pd.DataFrame([model.record() for model in MODELS.values()])


class Listing(ModuleType):
    """The package of models itself, as one that lists them when it is called.

    The verb `tcpgoodput.models()` and the package `tcpgoodput.models` have one name, and whoever
    imports the package sets that name in `tcpgoodput`: so both are one thing.
    """

    __call__ = staticmethod(models)
