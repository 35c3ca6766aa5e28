"""C(t): what the bottleneck can carry, for every process of the vocabulary."""
