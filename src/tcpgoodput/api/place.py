"""`tcpgoodput.enter_project`: where a notebook that is opened by hand finds the project's files."""

from __future__ import annotations

import os
from pathlib import Path

from tcpgoodput.project.configuration import DEFAULT_PATH


def enter_project() -> Path:
    """Make the project's folder the current one, from wherever within it; return it.

    All paths of the configuration begin there. Where no project is around, nothing changes.

    Example:
        >>> import tcpgoodput
        >>> (tcpgoodput.enter_project() / "config").is_dir()
        True

    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / DEFAULT_PATH).is_file():
            os.chdir(folder)
            return folder
    return here
