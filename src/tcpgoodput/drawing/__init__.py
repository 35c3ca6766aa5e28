"""Pictures of the numbers in a run's tables, drawn with seaborn and matplotlib.

Seaborn provides the theme (`theme`), heat maps (`sizes.heat`, `census`), dots by category (`dots`),
medians with ranges (`census`, `comparison`) and scatter plots (`comparison`). It takes a second to
load, so each function that needs it imports it. Matplotlib draws everything else: lines and markers
with known intervals, ladder diagrams, topologies, and decision trees.
"""
