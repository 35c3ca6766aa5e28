"""Tests of single parts of the command line."""
