"""The census: a random sample of connections, each simulated and predicted by every model."""
