"""Restore the default action of Ctrl-C in the process that forks the explorer's workers.

This process imports this module first. A terminal sends Ctrl-C to the server and all its processes.
By default, Ctrl-C ends the process silently. Otherwise Python would print the traceback of a
KeyboardInterrupt while the process loads and compiles.
"""

from __future__ import annotations

import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)
