"""Engines: what measures a scenario instead of modelling it.

The packet simulator is part of the project and measures whatever is asked. The others are referees:
where they are at hand, what they measure is recorded, and everything else reads the records.
"""
