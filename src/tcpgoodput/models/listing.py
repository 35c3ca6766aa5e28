"""`tcpgoodput.models()`: a table of all models."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import TYPE_CHECKING

from tcpgoodput.models.registry import MODELS

if TYPE_CHECKING:  # predictions do not need pandas; its import takes half a second
    import pandas as pd


def models() -> pd.DataFrame:
    """List every model with its study, inputs and domain.

    The user's own models are listed, and used by all other functions, after the module that
    registers them has been imported. `enter_project()` loads those that `config/config.yaml` names.

    Returns:
        One row for each model: `name`, `title`, `source`, `citation` (a key in
        paper/references.bib), `inputs` (keys of the scenario), `impairments` (those that it
        describes), `domain`, `conditions` (of the domain, each with `text`, `basis` and
        `because`), `equation` (of the goodput X in packets/s, with its symbols).

    Example:
        >>> import tcpgoodput
        >>> known = tcpgoodput.models().set_index("name")
        >>> known.loc["mathis", "inputs"][:3]
        ['tcp.mss_bytes', 'tcp.ack_every', 'tcp.growth']

    """
    import pandas as pd

    return pd.DataFrame([model.record() for model in MODELS.values()])


class Listing(ModuleType):
    """Class of the package `tcpgoodput.models` itself, which makes it callable.

    The function `tcpgoodput.models()` and the package `tcpgoodput.models` have the same name, and
    an import of the package sets that name. So one object serves as both.
    """

    __call__ = staticmethod(models)

    @property
    def __signature__(self) -> inspect.Signature:
        """Parameters of the call; `inspect` itself finds none, because `__call__` has no `self`."""
        return inspect.signature(models)
