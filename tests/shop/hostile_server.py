"""A chat-completions server that misbehaves on request, on a real socket of this machine.

    with HostileServer(redirect("http://127.0.0.1:9/"), reply(completion())) as server:
        HTTPModel(server.base_url, "any")

Each request gets the next behaviour; the last one serves all that follow.
"""

import contextlib
import gzip
import json
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

DRIP_SECONDS = 1.0
"""Between two bytes of a reply that never ends."""

ABSENT = object()
USAGE = {"prompt_tokens": 40, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 3}}


@dataclass(frozen=True)
class Request:
    """What a client sent. Header names are in lower case."""

    line: str
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Exchange:
    """One request in the hands of a behaviour."""

    def __init__(self, request: Request, connection: socket.socket, server: "HostileServer"):
        self.request = request
        self.connection = connection
        self.server = server

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)
        self.server.sent_bytes += len(data)

    def ticks(self, seconds: float = DRIP_SECONDS) -> Iterator[None]:
        """Tick at once and then at this interval, until the server shuts down."""
        yield
        while not self.server.stopping.wait(seconds):
            yield


Behaviour = Callable[[Exchange], None]


def completion(
    content: Any = "All is well.", calls: Any = ABSENT, usage: Any = USAGE
) -> dict[str, Any]:
    """Return a well-formed reply, or what the arguments make of it; ABSENT leaves a part out."""
    message = _present(role="assistant", content=content, tool_calls=calls)
    return _present(choices=[{"index": 0, "message": message}], usage=usage)


def _present(**parts: Any) -> dict[str, Any]:
    return {name: part for name, part in parts.items() if part is not ABSENT}


def call(identity: Any = "c1", name: Any = "list_stock", arguments: Any = "{}") -> dict[str, Any]:
    """Return one requested operation as a reply carries it."""
    function = {"name": name, "arguments": arguments}
    return {"id": identity, "type": "function", "function": function}


def head(status: str = "200 OK", **headers: object) -> bytes:
    """Return a reply's head; `_` in a header's name stands for `-`."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1")


def reply(body: Any, status: str = "200 OK", **headers: object) -> Behaviour:
    """Answer with bytes, or with anything else as JSON (NaN included), and keep the connection."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def behave(exchange: Exchange) -> None:
        exchange.send(head(status, Content_Length=len(data), **headers) + data)

    return behave


def redirect(target: str, status: str = "307 Temporary Redirect") -> Behaviour:
    return reply(b"", status, Location=target)


def gzip_bomb(size: int) -> Behaviour:
    return reply(gzip.compress(bytes(size)), Content_Encoding="gzip")


def silence(exchange: Exchange) -> None:
    exchange.server.stopping.wait()


def drip_head(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in exchange.ticks():
        exchange.send(b"z")


def drip_body(exchange: Exchange) -> None:
    exchange.send(head(Content_Length=1_000_000))
    for _ in exchange.ticks():
        exchange.send(b" ")


def flood_of_chunks(exchange: Exchange) -> None:
    """Send a body for ever, as fast as it is taken, in chunks of one byte."""
    exchange.send(head(Transfer_Encoding="chunked"))
    for _ in exchange.ticks(0):
        exchange.send(b"1\r\n \r\n" * 1_000)


def body_of(size: int) -> Behaviour:
    """Send a body of so many bytes, unless the client hangs up."""

    def behave(exchange: Exchange) -> None:
        exchange.send(head(Content_Length=size))
        for _ in range(size // 65_536):
            exchange.send(b" " * 65_536)

    return behave


def reset_mid_body(exchange: Exchange) -> None:
    exchange.send(head(Content_Length=1_000) + b'{"choices"')
    at_once = struct.pack("ii", 1, 0)
    exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    socket.close(exchange.connection.detach())


def hang_up(exchange: Exchange) -> None:
    exchange.connection.shutdown(socket.SHUT_RDWR)


class _Handler(socketserver.StreamRequestHandler):
    server: "HostileServer"

    def handle(self) -> None:
        with self.server.watched(self.connection), contextlib.suppress(OSError):
            while request := self._read():
                behaviour = self.server.next_behaviour(request)
                behaviour(Exchange(request, self.connection, self.server))

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()

    def _read(self) -> Request | None:
        line = self.rfile.readline().decode("latin-1").strip()
        if not line:
            return None
        headers = {}
        while header := self.rfile.readline().decode("latin-1").strip():
            name, _, value = header.partition(":")
            headers[name.lower()] = value.strip()
        return Request(line, headers, self.rfile.read(int(headers.get("content-length", 0))))


class HostileServer(socketserver.ThreadingTCPServer):
    """Runs while its `with` block does. `requests` holds what was asked, in order."""

    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, *behaviours: Behaviour) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self.sent_bytes = 0
        self.stopping = threading.Event()
        self._behaviours = behaviours
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.005,))

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self.shutdown()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):  # the client may have gone already
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()
        self._thread.join()

    @contextlib.contextmanager
    def watched(self, connection: socket.socket) -> Iterator[None]:
        """Count a connection, and hang up on it when the server shuts down."""
        with self._lock:
            self.connections += 1
            self._open.add(connection)
            if self.stopping.is_set():
                connection.shutdown(socket.SHUT_RDWR)
        try:
            yield
        finally:
            with self._lock:
                self._open.discard(connection)

    def next_behaviour(self, request: Request) -> Behaviour:
        with self._lock:
            self.requests.append(request)
            return self._behaviours[min(len(self.requests), len(self._behaviours)) - 1]
