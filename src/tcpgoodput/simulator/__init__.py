"""The packet simulator: its senders come first."""
