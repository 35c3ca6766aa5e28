"""The documentation as a web site, built from the folder `docs/` and from generated pages."""
