"""Packet sequences from other projects' tests of senders and receivers, applied to ours."""
