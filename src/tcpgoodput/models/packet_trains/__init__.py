"""Packet trains over a Gilbert–Elliott channel: OldTahoe, Tahoe, NewReno and SACK."""
