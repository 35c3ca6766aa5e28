"""Engines, which measure the goodput of a scenario.

The packet simulator is part of the project and measures any scenario. ns-2 and Linux are reference
implementations: their TCP was not written by this project. Their measurements are recorded once, on
a machine where they are installed. All other parts of the project read these records.
"""
