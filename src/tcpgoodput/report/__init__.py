"""Generated parts of the report: all of its numbers, tables and lists."""
