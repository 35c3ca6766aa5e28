"""Renewal-reward models of goodput under delay spikes (Lassila and Kuusela)."""
