"""Restore the default action of Ctrl-C in the process that forks the explorer's workers.

This process imports this module first. A terminal sends Ctrl-C to the server and all its processes.
During the seconds of loading and compiling, Python would print the traceback of a
KeyboardInterrupt.
"""

from __future__ import annotations

import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)
