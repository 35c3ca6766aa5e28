"""The census: a random sample of connections, each measured and predicted by every model."""
