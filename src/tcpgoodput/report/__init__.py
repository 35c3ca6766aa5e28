"""The report's generated parts: every number, table and list in it."""
