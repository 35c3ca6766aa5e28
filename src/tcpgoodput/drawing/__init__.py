"""Pictures of published numbers: the only part of the project that draws.

Seaborn gives the theme (its values, written out), the matrix of errors and the bars of verdicts.
The rest is matplotlib's: lines and markers whose intervals were computed before (seaborn would
estimate its own from the rows), maps on logarithmic axes (a seaborn heatmap's axes are
categories), the ranking and the referees' ratios (ranges that end in two different marks),
ladders, topologies and the chart of advice (no statistics at all).
"""
