"""HTTP server of the explorer: it serves the page and answers the page's requests.

By default the server listens on the loopback addresses only. It refuses requests that another web
site has caused. A new request of a page ends the answer to the page's previous request. The number
of simultaneous answers and their duration are limited.
"""

from __future__ import annotations

import errno
import ipaddress
import json
import re
import socket
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tcpgoodput.cli.explorer import my_link
from tcpgoodput.cli.explorer.answering import OWN, described, values_of
from tcpgoodput.cli.explorer.page import (
    Pairs,
    files,
    library,
    looks,
    own,
    page,
    presets,
    scenario_of_url,
    scenarios_of,
)
from tcpgoodput.cli.explorer.worker import Pool, Request
from tcpgoodput.configuration import ConfigurationError, Document, refused
from tcpgoodput.project.run import Run
from tcpgoodput.project.settings import (
    DEFAULT_PATH,
    Configuration,
    families_at_hand,
    load_configuration,
    style_at_hand,
)
from tcpgoodput.scenario.files import ScenarioRequest

Record = dict[str, Any]

LOCALHOST = "localhost"

LOOPBACK = ("127.0.0.1", "::1")
"""The addresses of `localhost`. Browsers and `ssh -L` may use either of them."""

NO_ADDRESS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""Errors of listening on an address that this machine does not have, such as `::1` without IPv6."""

PAGE = "page"
"""Name of the URL parameter that identifies an open page; each page chooses a random value."""

MOST_PAGES = 64
"""Largest number of open pages whose latest request the server remembers. It forgets the pages
whose latest request is oldest. Chosen by hand."""

LONGEST_ADDRESS = 16_000

CHANGED = re.compile(r"(?:^| )([a-z][\w.]*)=")
"""The keys in the place of a problem, such as `tcp.rto.min_s=80 tcp.rto.max_s=60`."""

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
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Additional HTTP headers: the browser must load nothing from other sites, and cache nothing."""


class Explorer:
    """Content and answers of the explorer; the HTTP server uses this class."""

    def __init__(
        self,
        presets: Mapping[str, ScenarioRequest],
        html: str,
        library: Callable[[], Record],
        files: Callable[[], Mapping[str, Path]],
        model_files: Sequence[Path] = (),
    ) -> None:
        """Store the content to serve."""
        self.presets, self.html = presets, html
        self._library, self._files = library, files
        self.pool = Pool(model_files)
        self._last: OrderedDict[str, object] = OrderedDict()
        self._lock = threading.Lock()

    def stored(self, path: str) -> tuple[str, bytes] | None:
        """Return results of the last run, with the suffix of their type; None if there are none.

        The results are read anew for each request, because a run may make them meanwhile. The path
        is that of a file of the run, or `library` for the tables that the page shows.
        """
        if path == "library":
            return ".json", json.dumps(self._library(), allow_nan=False).encode()
        file = self._files().get(path)
        return (file.suffix, file.read_bytes()) if file else None

    def answers(self, kind: str, address: str) -> Iterator[Record]:
        """Yield the records of the answer to a request; invalid input gives a record of a problem.

        The kind is `answer` for a scenario, `sweep`, or `link` for the keys that the form "My link"
        changes.
        """
        pairs = parse_qsl(address, keep_blank_values=True)
        try:
            if len(address) > LONGEST_ADDRESS:
                raise refused("address", "", "is too long")
            if kind == "link":
                yield {"kind": "link", "changes": my_link.changes_of(dict(pairs))}
            else:
                yield from self._answer(kind, pairs)
        except ConfigurationError as error:
            yield {"kind": "problem", "message": str(error), "fields": _fields(error)}

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
        """Note a new request of a page; return a function that tells if it is still the latest."""
        mine = object()
        with self._lock:
            self._last[page] = mine
            self._last.move_to_end(page)
            while len(self._last) > MOST_PAGES:
                self._last.popitem(last=False)
        return lambda: self._last.get(page) is mine


def _fields(error: ConfigurationError) -> dict[str, str]:
    """Return the message of each field of the page that holds an invalid value, by key or label.

    The place of a problem is a label or one of the texts `KEY=VALUE` of the URL.
    """
    found: dict[str, str] = {}
    for problem in error.problems:
        for name in CHANGED.findall(problem.file) or [problem.file]:
            found.setdefault(name, problem.message)
    return found


class _Handler(BaseHTTPRequestHandler):
    """Handler of one HTTP request."""

    server: Server
    timeout = IDLE_S
    server_version = "tcpgoodput"
    sys_version = ""

    def do_GET(self) -> None:
        try:
            url = urlsplit(self.path)
        except ValueError as error:
            self.send_error(HTTPStatus.BAD_REQUEST, explain=str(error))
            return
        if why := self._refusal(url.path):
            self.send_error(HTTPStatus.FORBIDDEN, explain=why)
            return
        explorer = self.server.explorer
        match url.path:
            case "/":
                self._send(".html", explorer.html.encode())
            case "/answer" | "/sweep" | "/link":
                self._stream(explorer.answers(url.path[1:], url.query))
            case path:
                self._send_stored(path[1:])

    def _refusal(self, path: str) -> str:
        """Return why a request is refused, as a sentence; empty if the explorer's page asks."""
        hosts = self.headers.get_all("Host", [])
        name = host_name(hosts[0]) if len(hosts) == 1 else None
        if name is None:
            return "The request must name one host"
        if not self._is_known(name):
            return (
                f"The explorer does not know the host name {name}. If it is the name of your own "
                f"proxy, `tcpgoodput explore --behind {name}` starts the explorer for it"
            )
        origin = self.headers.get("Origin")
        is_foreign = origin is not None and not self._is_known(host_name(origin))
        site = self.headers.get("Sec-Fetch-Site", "none")
        # Another site may have a link to the page, but may not use or embed it.
        mode = (self.headers.get("Sec-Fetch-Mode"), self.headers.get("Sec-Fetch-Dest"))
        is_link = path == "/" and mode == ("navigate", "document")
        if is_foreign or not (site in ("none", "same-origin") or is_link):
            return "Another web site has caused this request; only the explorer's own page may ask"
        return ""

    def _is_known(self, name: str | None) -> bool:
        """Whether a host name can only mean this server.

        Another web site could let a name of its own mean this machine (DNS rebinding). It cannot do
        so with an address, with `localhost`, or with a name that the user trusts. The port is not
        checked: a proxy may listen on another one.
        """
        return name is not None and (is_address(name) or name in (LOCALHOST, *self.server.names))

    def _send_stored(self, path: str) -> None:
        try:
            found = self.server.explorer.stored(path)
        except Exception as error:  # a run may be writing these files, in whatever state they are
            message = f"The results cannot be read now: {error}"
            self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR, explain=message)
            return
        if found:
            self._send(*found)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

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
    """HTTP server on one address, with a thread for each request."""

    daemon_threads = True
    # Number of connection attempts that may wait until the server accepts them.
    request_queue_size = 128

    def __init__(
        self, explorer: Explorer, port: int, host: str = LOOPBACK[0], names: Sequence[str] = ()
    ) -> None:
        """Listen on a port of an address; `address` is the resulting URL.

        Raises:
            OSError: the port is in use, or this machine does not have the address.

        """
        self.explorer, self.names = explorer, names
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)

    def server_bind(self) -> None:
        """Bind the socket; unlike the base class, do not ask the network for a name."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print one line about an error in a request; nothing if only the connection was lost."""
        error = sys.exception()
        if not isinstance(error, OSError):
            print(f"A request failed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)

    def server_close(self) -> None:
        """Stop listening, and end all worker processes."""
        super().server_close()
        self.explorer.pool.close()

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return ipaddress.ip_address(self.server_name).is_loopback

    @property
    def address(self) -> str:
        """The URL of the explorer's page on this machine."""
        if ipaddress.ip_address(self.server_name).is_unspecified:
            return f"http://{LOCALHOST}:{self.server_port}/"
        name = f"[{self.server_name}]" if ":" in self.server_name else self.server_name
        return f"http://{name}:{self.server_port}/"


def servers(explorer: Explorer, port: int, host: str, names: Sequence[str]) -> list[Server]:
    """Listen on a port of an address, or of both addresses of `localhost`.

    Port 0 is a free one.

    Raises:
        OSError: the port is in use, or this machine does not have the address.

    """
    found: list[Server] = []
    for address in LOOPBACK if host == LOCALHOST else [host]:
        try:
            found.append(Server(explorer, port, address, names))
        except OSError as error:
            if found and error.errno in NO_ADDRESS:
                continue
            for server in found:
                server.server_close()
            raise
        port = found[0].server_port
    return found


def host_name(place: str) -> str | None:
    """Return the host name in a URL or in `NAME:PORT`; None if there is none."""
    try:
        return urlsplit(place if "//" in place else f"//{place}").hostname
    except ValueError:
        return None


def is_address(name: str) -> bool:
    """Whether a host name is an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def explorer(named: Document | None, model_files: Sequence[Path]) -> Explorer:
    """Return the content of the explorer's page and its answers, for the server.

    The files with the user's own models are already registered.
    """
    known = presets(named)
    content = {
        "is_live": True,
        "has_project": DEFAULT_PATH.is_file(),
        "begin": next(iter(known)),
        "link": my_link.form(),
        "looks": looks(style_at_hand(), families_at_hand()),
        **scenarios_of(preset.scenario for preset in known.values()),
    }
    return Explorer(known, page(content), _library, _files, model_files)


@cache
def _configuration() -> Configuration | None:
    return load_configuration(DEFAULT_PATH) if DEFAULT_PATH.is_file() else None


def _library() -> dict[str, Any]:
    configuration = _configuration()
    if configuration is None:
        return {"matrix": None, "claims": None, "figures": []}
    return library(configuration, Path(Run(None).results))


def _files() -> Mapping[str, Path]:
    configuration, run = _configuration(), Run(None)
    if configuration is None:
        return {}
    return files(configuration, Path(run.results), Path(run.figures))
