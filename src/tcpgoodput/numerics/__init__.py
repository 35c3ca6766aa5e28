"""Statistics and compiled loops: what is neither networks nor files."""
