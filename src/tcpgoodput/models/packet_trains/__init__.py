"""Packet trains over a Gilbert–Elliott channel: OldTahoe, Tahoe, NewReno and SACK."""

from tcpgoodput.models.packet_trains import curves, errata, model  # noqa: F401
