"""Packet-train model of OldTahoe, Tahoe, NewReno and SACK over a Gilbert–Elliott channel."""
