"""Imported first by the process from which workers are forked: Ctrl-C ends it without a traceback.

A terminal sends Ctrl-C to the server and to its processes alike. Loading and compiling take
seconds, in which Python would answer with the traceback of a KeyboardInterrupt.
"""

from __future__ import annotations

import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)
