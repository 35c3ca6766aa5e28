"""Tests of the workflow on a cluster."""
