"""The path of a connection: queue, server, capacity, losses, delay spikes, hand-offs."""
