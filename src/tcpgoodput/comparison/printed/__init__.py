"""Numbers that the studies' texts print, each next to the recomputed numbers of a run."""
