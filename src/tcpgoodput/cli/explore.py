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
        metavar="[SCENARIO.yaml]",
        help="scenario file to show first; - reads standard input; default: a scenario of the "
        "project",
    ),
]
Port = Annotated[
    int, typer.Option(min=0, max=65535, metavar="N", help="port to listen on; 0: a free port")
]
Browser = Annotated[bool, typer.Option("--browser/--no-browser", help="open the page in a browser")]


def explore(
    scenario_file: ScenarioFile = None,
    port: Port = 0,
    browser: Browser = True,
    model_files: ModelFiles = None,
) -> None:
    """Open a local page that shows models and simulation live."""
    # Import the server only here: no other command needs it.
    import webbrowser

    from tcpgoodput.cli.explorer.server import Server, explorer

    add_models(model_files)
    named = read_document(scenario_file) if scenario_file else None
    served = explorer(named, model_files or [])
    try:
        server = Server(served, port)
    except OSError as error:
        raise refused("--port", "", f"{port} cannot be listened on: {error.strerror}") from None
    threading.Thread(target=served.pool.prepare, daemon=True).start()
    print(f"The explorer is at {server.address} (Ctrl-C ends it)", file=sys.stderr, flush=True)
    if browser and _has_screen():
        webbrowser.open(server.address)
    with server, contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


def _has_screen() -> bool:
    """Whether a graphical browser can open, rather than a text browser in the terminal."""
    return sys.platform == "darwin" or bool({"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys())
