"""The documentation as a site: what is generated of it, put together with `docs/`, and built."""
