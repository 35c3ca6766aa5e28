"""Packet sequences from other projects' TCP tests, applied to the simulator."""
