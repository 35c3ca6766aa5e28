"""The documentation as a web site, built from `docs/` and from generated pages."""
