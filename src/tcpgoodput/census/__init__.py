"""The census: a space of connections drawn from at random, measured, and answered by every model."""
