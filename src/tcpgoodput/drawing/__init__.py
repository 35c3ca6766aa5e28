"""Pictures of published numbers: the only part of the project that draws.

Seaborn gives the theme (`theme`), heat maps (`sizes.heat`: the matrix, its variations, maps, errors
by group and what decides them), dots by category (`dots`: the ranking, the held-out scenarios),
medians with ranges (`census`) and scatter plots by variation (`sensitivity`). It is imported by the
functions that need it, for it takes a second to load. Matplotlib draws what has no statistics left
to do: lines and markers whose intervals were computed before, ladders, topologies, the decision
tree.
"""
