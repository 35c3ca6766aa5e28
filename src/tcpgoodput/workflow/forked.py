"""Have a module run by the process that has its libraries loaded, or run it here.

python -IS forked.py MODULE ARGUMENTS...

Imports as little as it can: it is started hundreds of times. See `brief.py`.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys

SOCKET = ".snakemake/brief.socket"
"""Where that process listens; below the project's folder, where all jobs are."""


def main(arguments: list[str]) -> int:
    """Return how the module ended."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a Ctrl-C ends it without a traceback
    server = socket.socket(socket.AF_UNIX)
    try:
        server.connect(SOCKET)
    except OSError:
        os.execv(sys.executable, [sys.executable, "-m", *arguments])
    told = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    request = json.dumps(told).encode() + b"\n"
    sent = socket.send_fds(server, [request], [1, 2])
    server.sendall(request[sent:])
    status = server.recv(16)
    if not status:
        print("the process that brief jobs are forked from has ended", file=sys.stderr)
        return 1
    return 128 - int(status) if status.startswith(b"-") else int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
