"""Engines, which measure the goodput of a scenario.

The packet simulator is part of the project and measures any scenario. ns-2 and Linux are reference
implementations: their measurements are recorded where they are installed, and everything else reads
the records.
"""
