"""HTTP server of the explorer: it serves the page and answers the page's requests.

The server accepts local requests only: it listens on the loopback address, and refuses requests
that another web site has caused. A new request of a page ends the answer to the page's previous
request. The number of simultaneous answers and their duration are limited.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tcpgoodput.cli.explorer import library
from tcpgoodput.cli.explorer.address import Pairs, own, scenario_of_url
from tcpgoodput.cli.explorer.answering import OWN, described, values_of
from tcpgoodput.cli.explorer.page import Preset, looks, page, presets, scenarios_of
from tcpgoodput.cli.explorer.worker import Pool, Request
from tcpgoodput.configuration import ConfigurationError, Document, refused
from tcpgoodput.project.run import Run
from tcpgoodput.project.settings import (
    DEFAULT_PATH,
    Configuration,
    load_configuration,
    style_at_hand,
)

Record = dict[str, Any]

HOST = "127.0.0.1"

PAGE = "page"
"""Name of the URL parameter that identifies an open page; each page chooses a random value."""

MOST_PAGES = 64
"""Largest number of open pages whose latest request the server remembers. It forgets the pages
whose latest request is oldest. Chosen by hand."""

LONGEST_ADDRESS = 16_000

IDLE_S = 20.0
"""Time in seconds without data after which the server closes an HTTP connection; chosen by hand."""

TYPES = {".html": "text/html", ".json": "application/json", ".png": "image/png", ".csv": "text/csv"}

SAFE = {
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""Additional HTTP headers: the browser must load nothing from other sites, and cache nothing."""


class Explorer:
    """Content and answers of the explorer; the HTTP server uses this class."""

    def __init__(
        self,
        presets: Mapping[str, Preset],
        html: str,
        library: Callable[[], Record],
        files: Callable[[], Mapping[str, Path]],
        model_files: Sequence[Path] = (),
    ) -> None:
        """Store the content to serve.

        Args:
            presets: scenarios that the page offers, by the names that URLs use for them.
            html: the page as HTML.
            library: function that returns the results of a run of the workflow.
            files: function that returns the pictures and tables of the run, by the paths that the
                page requests.
            model_files: files with the user's own models.

        """
        self.presets, self.html = presets, html
        self._library, self._files = library, files
        self.pool = Pool(model_files)
        self._last: OrderedDict[str, object] = OrderedDict()
        self._lock = threading.Lock()

    @cached_property
    def library(self) -> str:
        """The results of a workflow run as JSON, for the explorer's page."""
        return json.dumps(self._library(), allow_nan=False)

    @cached_property
    def files(self) -> Mapping[str, Path]:
        """The pictures and tables that a browser may request."""
        return self._files()

    def answers(self, kind: str, address: str) -> Iterator[Record]:
        """Yield the records of the answer to a request; invalid input gives a record of a problem.

        Args:
            kind: `answer` for a scenario, or `sweep`.
            address: the query of the URL.

        """
        pairs = parse_qsl(address, keep_blank_values=True)
        try:
            if len(address) > LONGEST_ADDRESS:
                raise refused("address", "", "is too long")
            yield from self._answer(kind, pairs)
        except ConfigurationError as error:
            yield {"kind": "problem", "message": str(error)}

    def _answer(self, kind: str, pairs: Pairs) -> Iterator[Record]:
        is_wanted = self._remember(dict(pairs).get(PAGE, ""))
        pairs = [(name, value) for name, value in pairs if name != PAGE]
        selected = scenario_of_url(pairs, self.presets)
        settings = own(pairs, OWN if kind == "sweep" else {})
        values = tuple(values_of(settings)) if kind == "sweep" else ()
        if kind == "answer":
            yield described(selected)
        request = Request(selected.scenario, settings.get("key"), values)
        yield from self.pool.records(request, is_wanted)

    def _remember(self, page: str) -> Callable[[], bool]:
        """Note a new request of a page; return a function that tells if it is still the latest.

        Args:
            page: the random value that identifies the open page.

        """
        mine = object()
        with self._lock:
            self._last[page] = mine
            self._last.move_to_end(page)
            while len(self._last) > MOST_PAGES:
                self._last.popitem(last=False)
        return lambda: self._last.get(page) is mine


class _Handler(BaseHTTPRequestHandler):
    """Handler of one HTTP request."""

    server: Server
    timeout = IDLE_S
    server_version = "tcpgoodput"
    sys_version = ""

    def do_GET(self) -> None:
        if not self._is_from_here():
            self.send_error(HTTPStatus.FORBIDDEN, "only pages of this server may ask")
            return
        url = urlsplit(self.path)
        explorer = self.server.explorer
        match url.path:
            case "/":
                self._send(".html", explorer.html.encode())
            case "/answer" | "/sweep":
                self._stream(explorer.answers(url.path[1:], url.query))
            case "/library":
                self._send(".json", explorer.library.encode())
            case path if path[1:] in explorer.files:
                file = explorer.files[path[1:]]
                self._send(file.suffix, file.read_bytes())
            case _:
                self.send_error(HTTPStatus.NOT_FOUND)

    def _is_from_here(self) -> bool:
        """Whether the request names this server and was not caused by another web site."""
        port = self.server.server_port
        site = self.headers.get("Sec-Fetch-Site", "none")
        names = (f"{HOST}:{port}", f"localhost:{port}")
        return self.headers.get("Host", "") in names and site in ("none", "same-origin")

    def _send(self, suffix: str, content: bytes) -> None:
        self._begin(TYPES[suffix])
        self.wfile.write(content)

    def _stream(self, records: Iterator[Record]) -> None:
        """Send records one by one, each as a line of JSON."""
        self._begin("application/x-ndjson")
        try:
            for record in records:
                self.wfile.write(json.dumps(record, allow_nan=False).encode() + b"\n")
                self.wfile.flush()
        except OSError:  # the browser has closed the connection
            pass
        finally:
            records.close()  # type: ignore[attr-defined]  # closing the generator frees the worker

    def _begin(self, content_type: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", f"{content_type}; charset=utf-8")
        for name, value in SAFE.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, so that the user's terminal shows only what the user needs."""


class Server(ThreadingHTTPServer):
    """HTTP server on the loopback address, with a thread for each request."""

    daemon_threads = True
    # Number of connection attempts that may wait until the server accepts them.
    request_queue_size = 128

    def __init__(self, explorer: Explorer, port: int) -> None:
        """Listen on a port; `address` is the resulting URL.

        Raises:
            OSError: the port is in use.

        """
        self.explorer = explorer
        super().__init__((HOST, port), _Handler)

    def server_close(self) -> None:
        """Stop listening, and end all worker processes."""
        super().server_close()
        self.explorer.pool.close()

    @property
    def address(self) -> str:
        """The URL of the explorer's page."""
        return f"http://{HOST}:{self.server_port}/"


def explorer(named: Document | None, model_files: Sequence[Path]) -> Explorer:
    """Return the content of the explorer's page and its answers, for the server.

    Args:
        named: the scenario to show first, in addition to the scenarios of the project.
        model_files: files with the user's own models, which are already registered.

    Raises:
        ConfigurationError: a scenario is invalid, or no scenario exists.

    """
    known = presets(named)
    if not known:
        message = "name a scenario's file, or start in the project's folder, which has some"
        raise refused("explore", "", message)
    first = next(iter(known))
    content = {
        "is_live": True,
        "has_project": DEFAULT_PATH.is_file(),
        "begin": first,
        "looks": looks(style_at_hand()),
        **scenarios_of(known),
    }
    return Explorer(known, page(content), _library, _files, model_files)


@cache
def _configuration() -> Configuration | None:
    return load_configuration(DEFAULT_PATH) if DEFAULT_PATH.is_file() else None


def _library() -> dict[str, Any]:
    configuration = _configuration()
    if configuration is None:
        return {"matrix": None, "claims": None, "figures": []}
    return library.library(configuration, Path(Run(None).results))


def _files() -> Mapping[str, Path]:
    configuration, run = _configuration(), Run(None)
    if configuration is None:
        return {}
    return library.files(configuration, Path(run.results), Path(run.figures))
