"""Engines, which measure the goodput of a scenario.

The packet simulator is part of the project and measures any scenario. ns-2 and Linux are reference
implementations. Their measurements are recorded on a machine where they are installed; all other
parts of the project read these records.
"""
