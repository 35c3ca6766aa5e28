"""Measurements of a link by other tools: one reader for each kind of file, and what it tells."""
