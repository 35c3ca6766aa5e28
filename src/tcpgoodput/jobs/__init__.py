"""What all jobs of the workflow share: a command line, notebooks, the code that each needs."""
