"""Reading of configuration: converts strict YAML to checked objects, or reports all problems."""

from tcpgoodput.configuration.problems import ConfigurationError, Problem, refused
from tcpgoodput.configuration.strict_yaml import Document, parse, read
from tcpgoodput.configuration.validation import validated

__all__ = ["ConfigurationError", "Document", "Problem", "parse", "read", "refused", "validated"]
