"""Packet sequences from other projects' TCP tests, RFCs and Linux, applied to the simulator."""
