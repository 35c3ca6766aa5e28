"""Errors for parts of the vocabulary that a function does not support, and for undefined values."""

from __future__ import annotations

from tcpgoodput.configuration import ConfigurationError, refused


def unsupported(file: str, name: str, word: object) -> ConfigurationError:
    """Return the error for a part of the vocabulary that some function does not support.

    Args:
        file: the file with the function, relative to the package.
        name: the table or function that should support `word`.
        word: a TCP variant, or a part of a scenario such as a loss process or a distribution.

    """
    if not isinstance(word, str):
        word = next(
            (str(getattr(word, key)) for key in ("process", "distribution") if hasattr(word, key)),
            type(word).__name__,
        )
    message = f"does not know {word!r}, which the vocabulary has; docs/extending.md and "
    message += "config/README.md say what a new variant, process or distribution needs"
    return refused(f"src/tcpgoodput/{file}", name, message)


class Undefined(Exception):
    """A model, an engine or the scenario itself has no value here; the message says why."""
