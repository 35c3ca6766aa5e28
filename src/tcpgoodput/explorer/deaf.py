"""Imported first by the process that answering ones are forked from: it ignores Ctrl-C.

A Ctrl-C is for who started that process, and ends it with the server. What it loads and compiles
takes seconds, in which a KeyboardInterrupt would be told as a traceback.
"""

from __future__ import annotations

import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)
