"""Reductions, which translate impairments into those that a model describes.

Each reduction translates one impairment, and they can be combined. A prediction lists those it
used. No constant in them was fitted; each comes from a derivation.
"""

from tcpgoodput.models.reductions.answer import reduced_answer
from tcpgoodput.models.reductions.catalogue import REDUCTIONS, Reduction

__all__ = ["REDUCTIONS", "Reduction", "reduced_answer"]
