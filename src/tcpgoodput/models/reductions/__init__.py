"""Reductions: named ways to ask a model about a scenario whose impairments it does not describe.

Each translates one impairment into what a model knows; they compose. A prediction names those that
it used. No constant in them was fitted: each comes from a derivation.
"""

from tcpgoodput.models.reductions.answer import reduced_answer
from tcpgoodput.models.reductions.catalogue import REDUCTIONS, Reduction

__all__ = ["REDUCTIONS", "Reduction", "reduced_answer"]
