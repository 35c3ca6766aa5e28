"""Settings of property tests: repeatable, and without time limits."""

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")
