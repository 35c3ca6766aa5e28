"""Tests of the census: how connections are drawn and measured, and how results are computed."""
