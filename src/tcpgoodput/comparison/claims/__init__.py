"""Claims of the studies as predicates on results of a run, and the verdicts on these claims."""
