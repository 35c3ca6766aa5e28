"""Tests of the census: spaces, designs, tables and results."""
