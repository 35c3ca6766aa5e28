"""Tests of recordings of real links: reading, statistics, fitted scenarios, and campaigns."""
