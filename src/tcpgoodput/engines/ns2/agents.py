"""Which of ns-2's senders is which variant."""

AGENTS = {
    "oldtahoe": "TCP",
    "tahoe": "TCP",
    "reno": "TCP/Reno",
    "newreno": "TCP/Newreno",
    "sack": "TCP/Sack1",
}
