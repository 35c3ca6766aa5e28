"""What Snakemake looks for under this name when the profile asks for the logger `tcpgoodput`."""

from tcpgoodput.workflow.console import LogHandler

__all__ = ["LogHandler"]
