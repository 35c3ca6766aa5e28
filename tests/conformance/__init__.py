"""Packet sequences from other projects' TCP tests, applied to our sender and receiver."""
