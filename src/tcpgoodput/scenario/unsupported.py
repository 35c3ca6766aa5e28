"""What a model or an engine does not know of the vocabulary, and what has no value."""

from __future__ import annotations

from tcpgoodput.configuration import ConfigurationError, refused


def missing_half(file: str, name: str, word: object) -> ConfigurationError:
    """Return the error for a word that the vocabulary has and a place does not know.

    Args:
        file: the place, below the package.
        name: the table or the function in it that must know the word.
        word: a TCP variant, or a part of a scenario of a process or a distribution.

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
