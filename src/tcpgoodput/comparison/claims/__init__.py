"""Claims of the sources as predicates over results, and the verdicts on them."""
