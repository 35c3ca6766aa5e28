"""Claims: checkable statements of the sources as predicates over results, and what a verdict is."""
