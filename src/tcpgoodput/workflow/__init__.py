"""What the Snakefile needs: the plan of a run, who holds the tree, what a run tells."""
