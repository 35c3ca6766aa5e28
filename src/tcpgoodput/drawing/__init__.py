"""Pictures of the numbers in a run's tables, drawn with seaborn and matplotlib.

Seaborn provides heat maps (`sizes.heat`, `census`), dots by category (`dots`), medians with ranges
(`census`, `comparison`) and scatter plots (`comparison`); the settings of its theme are copied
(`theme`). Seaborn takes a second to load, so only the functions that need seaborn import it.
Matplotlib draws everything else: lines and markers with known intervals, ladder diagrams,
topologies, and decision trees.
"""
