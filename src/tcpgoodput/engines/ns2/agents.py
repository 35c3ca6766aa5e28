"""Senders of ns-2 by variant."""

AGENTS = {
    "oldtahoe": "TCP",
    "tahoe": "TCP",
    "reno": "TCP/Reno",
    "newreno": "TCP/Newreno",
    "sack": "TCP/Sack1",
}
