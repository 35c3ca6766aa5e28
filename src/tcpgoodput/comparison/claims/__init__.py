"""Claims of the studies as predicates on results, and the verdicts on these claims."""
