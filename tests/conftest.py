"""Property tests are repeatable and not timed: speed is the benchmarks' matter."""

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")
