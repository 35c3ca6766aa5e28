"""Sequences of events that others hold senders and receivers to, played to ours."""
