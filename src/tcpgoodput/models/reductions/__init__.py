"""Reductions of scenarios: they translate impairments into those that a model describes.

Each reduction translates one impairment, and reductions can be combined. A prediction lists the
reductions that it used. No constant of the reductions' formulas was fitted to packet simulation.
The constants are derived, except the exponent of R-WIN (the cap by window, rate and buffer), which
is our choice.
"""

from tcpgoodput.models.reductions.answer import beyond_reductions, reduced_answer
from tcpgoodput.models.reductions.catalogue import REDUCTIONS, Reduction

__all__ = ["REDUCTIONS", "Reduction", "beyond_reductions", "reduced_answer"]
