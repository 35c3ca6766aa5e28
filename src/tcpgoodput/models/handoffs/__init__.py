"""NewReno under periodic hand-offs that delay or lose packets (Sharma, Gillies and Feng)."""

from tcpgoodput.models.handoffs import curves, errata, newreno_handoffs  # noqa: F401
