"""Tests of recorded links: reading, statistics, fitting and campaigns."""
