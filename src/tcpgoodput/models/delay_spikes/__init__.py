"""Renewal-reward goodput under delay spikes (Lassila and Kuusela)."""
