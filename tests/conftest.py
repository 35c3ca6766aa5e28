"""Settings of hypothesis for property tests: repeatable examples, and no time limits."""

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")
