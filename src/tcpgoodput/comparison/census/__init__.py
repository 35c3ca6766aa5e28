"""The census: connections drawn at random, measured, and answered by every model."""
