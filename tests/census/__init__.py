"""Tests of the census (a random sample of connections): drawing, measurement and results."""
