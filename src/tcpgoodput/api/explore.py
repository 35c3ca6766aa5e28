"""`tcpgoodput.explorer_command`: the explorer, opened on a scenario."""

from __future__ import annotations

import json
import shlex

from tcpgoodput.api.load import Given, load


def explorer_command(scenario: Given) -> str:
    """Return the shell command that opens the explorer on a scenario.

    The command contains the whole scenario, and so needs neither a file nor results of a run.

    Args:
        scenario: a scenario from `load`, a dict of keys, or a YAML file.

    Returns:
        One line, for a terminal in which `tcpgoodput` is installed.

    Raises:
        ConfigurationError: the scenario is invalid.

    Example:
        >>> import tcpgoodput
        >>> link = {
        ...     "id": "mine",
        ...     "title": "A lossy link",
        ...     "tcp": {"variant": "sack"},
        ...     "path": {"rate_bps": 1e7, "forward_delay_s": 0.02, "backward_delay_s": 0.02},
        ... }
        >>> tcpgoodput.explorer_command(link).endswith("| tcpgoodput explore -")
        True

    """
    keys = json.dumps(load(scenario).stated())
    # Some shells' echo interprets the backslashes of JSON.
    return f"printf '%s\\n' {shlex.quote(keys)} | tcpgoodput explore -"
