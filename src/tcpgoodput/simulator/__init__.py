"""The packet simulator: one TCP connection on one path."""
