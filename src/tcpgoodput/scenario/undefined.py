"""What has no value for a scenario."""


class Undefined(Exception):
    """A model, an engine or the scenario itself has no value here; the message says why."""
