"""The command `tcpgoodput explore`: starts the explorer's local web page."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from tcpgoodput.cli.output import ModelFiles, add_models, read_document
from tcpgoodput.configuration import refused

ScenarioFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="SCENARIO.yaml",
        help="scenario file to show first; - reads standard input; default: a link of your own",
    ),
]
Port = Annotated[
    int, typer.Option(min=0, max=65535, metavar="N", help="port to listen on; 0: a free port")
]
Host = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="IP address to listen on; 0.0.0.0: all addresses of this machine, as in a container",
    ),
]
Behind = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="host name by which a browser reaches the page, such as that of a proxy; repeatable",
    ),
]
Browser = Annotated[bool, typer.Option("--browser/--no-browser", help="open the page in a browser")]


def explore(
    scenario_file: ScenarioFile = None,
    port: Port = 0,
    host: Host = "localhost",
    behind: Behind = None,
    browser: Browser = True,
    model_files: ModelFiles = None,
) -> None:
    """Open a local page that shows models and simulation live."""
    # Import the server only here: no other command needs it.
    import webbrowser

    from tcpgoodput.cli.explorer.server import LOCALHOST, explorer, host_name, is_address, servers

    names = {given: host_name(given) for given in behind or []}
    for given, name in names.items():
        if name is None:
            raise refused("--behind", "", f"{given!r} is no host name, such as hub.example.org")
    if host != LOCALHOST and not is_address(host):
        message = "must be an IP address of this machine, such as 0.0.0.0 (all), or localhost"
        raise refused("--host", "", f"{host!r} {message}")
    add_models(model_files)
    named = read_document(scenario_file) if scenario_file else None
    served = explorer(named, model_files or [])
    try:
        listening = servers(served, port, host, [*filter(None, names.values())])
    except OSError as error:
        message = f"cannot be listened on: {error.strerror}; --port 0 takes a free port"
        raise refused("--port", "", f"{port} of {host} {message}") from None
    threading.Thread(target=served.pool.prepare, daemon=True).start()
    first = listening[0]
    print(f"The explorer is at {first.address} (Ctrl-C ends it)", file=sys.stderr, flush=True)
    if not first.is_local:
        message = f"Everyone who can reach port {first.server_port} of this machine can use it."
        print(message, file=sys.stderr, flush=True)
    # Without a screen, `webbrowser` would open a text browser in the terminal.
    has_screen = sys.platform == "darwin" or any(
        name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if browser and has_screen:
        webbrowser.open(first.address)
    for other in listening[1:]:
        threading.Thread(target=other.serve_forever, daemon=True).start()
    with first, contextlib.suppress(KeyboardInterrupt):
        first.serve_forever()
