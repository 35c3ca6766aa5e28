"""Pictures of the numbers in a run's tables, drawn with seaborn and matplotlib.

Seaborn provides the theme (`theme`), heat maps (`sizes.heat`, `census`), dots by category (`dots`),
medians with ranges (`census`, `comparison`) and scatter plots (`comparison`). Seaborn takes a
second to load, so only the functions that need seaborn import it. Matplotlib draws everything else:
lines and markers with known intervals, ladder diagrams, and topologies.
"""
