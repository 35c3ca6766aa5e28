"""Pictures: published data and a description of looks in, a figure out."""
