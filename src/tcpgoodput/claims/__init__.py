"""Claims: checkable statements of the sources as predicates over results, and their verdicts."""
