"""A model behind an OpenAI-compatible server: one request a turn, no trust in what comes back."""

import asyncio
import contextlib
import functools
import logging
import os
import re
import ssl
import threading
from collections.abc import Coroutine, Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx

from lab import plain
from lab.errors import InputError
from lab.shop.envelope import read_turn, spellings
from lab.shop.models import Message, ModelError, ModelTurn, Schema

MAX_BODY_BYTES = 1024 * 1024
"""Bytes read of one reply, at most; longer ones are refused while they arrive."""

EXCERPT = 200
"""Characters of a server's error that a reason keeps."""

_ADDRESS = r"(?i:https?)://[^/?#@\\\s]+(/[^?#\\\s]*)?"
_KEY_MARK = "[api key]"
_IDLE_SECONDS = 1.0  # shorter than servers keep a connection: a stale one would cost the attempt
_GRACE_SECONDS = 0.5  # for our own thread, should it be too busy to end a request on time
_THREAD = "lab-http"


class HTTPModel:
    """A `Model` that asks `base_url`/chat/completions, at temperature 0, without any retry.

    `reasoning_effort` is sent as it is, and left out when None. Redirects are refused, and so are
    cookies and compressed replies. `use_system_proxies` also honours SSL_CERT_FILE. `environment`
    is whatever is known of the server; it is kept with the address for a report.

    The API key goes to `base_url` and nowhere else: wherever a server echoes it, in a turn or in
    an error, "[api key]" stands instead. (So give None, not a made-up word, when none is needed.)

    One object may serve any thread, with or without a running event loop, and may be pickled, key
    included. Raises InputError for an option that cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        reasoning_effort: str | None = "none",
        use_system_proxies: bool = False,
        environment: Mapping[str, Any] | None = None,
    ) -> None:
        if not _is_plain_address(base_url):
            raise InputError(
                "base_url must be an http or https address such as http://127.0.0.1:8080/v1, "
                "without user name, password, query or fragment"
            )
        if not isinstance(model, str) or not model:
            raise InputError("model must be the name the server knows it by, not empty")
        if api_key is not None and not _is_sendable(api_key):
            raise InputError(
                "api_key must be printable ASCII without a space at either end, or None; "
                "look for a stray line end"
            )
        if not isinstance(reasoning_effort, str | None):
            raise InputError("reasoning_effort must be a word the server knows, or None")
        self.base_url = base_url.rstrip("/")
        self.name = model
        self.reasoning_effort = reasoning_effort
        self.environment = {**(environment or {}), "base_url": self.base_url}
        self._api_key = api_key
        self._use_system_proxies = use_system_proxies
        self._client: tuple[int, httpx.AsyncClient] | None = None  # with the process it belongs to

    def __repr__(self) -> str:
        return f"HTTPModel({self.base_url!r}, {self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_client": None}

    def complete(
        self,
        messages: list[Message],
        tools: list[Schema],
        *,
        timeout: float,
        max_output_tokens: int,
        response_format: Schema | None = None,
    ) -> ModelTurn:
        """Return the next turn. `timeout` is in seconds, from connecting to the last byte.

        `response_format`, where it is given, asks the server to hold the reply to a JSON schema.

        Raises TimeoutError when they are over, and ModelError, with the reason, for every other
        failure: no connection, a status other than 2xx, a reply too large or malformed.
        """
        request = {
            "model": self.name,
            "messages": messages,
            "temperature": 0,
            "max_tokens": max_output_tokens,
            "stream": False,
        }
        if tools:
            request["tools"] = tools
        if response_format is not None:
            request["response_format"] = response_format
        if self.reasoning_effort is not None:
            request["reasoning_effort"] = self.reasoning_effort
        body = plain.dumps(request).encode("ascii")
        return read_turn(self._wait_for(self._exchange(body, timeout), timeout), self._scrub)

    def close(self) -> None:
        """Close the connection, if one is open. A later call opens another."""
        kept, self._client = self._client, None
        if kept is not None and kept[0] == os.getpid():
            with contextlib.suppress(Exception):  # an attempt does not fail for a bad goodbye
                asyncio.run_coroutine_threadsafe(kept[1].aclose(), _loop()).result(_GRACE_SECONDS)

    def _wait_for(self, exchange: Coroutine[Any, Any, bytes], timeout: float) -> bytes:
        future = asyncio.run_coroutine_threadsafe(exchange, _loop())
        problem: Exception
        try:
            return future.result(timeout + _GRACE_SECONDS)
        except ModelError:
            raise
        except TimeoutError:
            problem = TimeoutError(f"no complete reply within {round(timeout, 2):g} s")
        except Exception as error:  # noqa: BLE001  (whatever the network brings is a failed turn)
            told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            problem = ModelError(plain.shorten(self._scrub(f"POST to {self.base_url}: {told}")))
        finally:
            future.cancel()
        # Out here it has no context: a network error may quote what the server sent.
        raise problem

    async def _exchange(self, body: bytes, timeout: float) -> bytes:
        async with (
            asyncio.timeout(timeout),
            self._open_client().stream(
                "POST", f"{self.base_url}/chat/completions", content=body, headers=self._headers()
            ) as response,
        ):
            status = f"HTTP {response.status_code}"
            if 300 <= response.status_code < 400:
                raise ModelError(f"redirect refused ({status}): base_url must be the final address")
            encoding = response.headers.get("content-encoding", "identity")
            if encoding.lower() != "identity":
                raise ModelError(f"{status}: content encoding {self._excerpt(encoding)} refused")
            reply = bytearray()
            async for chunk in response.aiter_raw():
                reply += chunk
                if len(reply) > MAX_BODY_BYTES:
                    raise ModelError(f"{status}: reply larger than {MAX_BODY_BYTES} bytes")
            if not 200 <= response.status_code < 300:
                told = self._excerpt(reply.decode("utf-8", "replace"))
                raise ModelError(f"{status}: {told or '(empty body)'}")
            return bytes(reply)

    def _open_client(self) -> httpx.AsyncClient:
        """Return this process's client. Only the event loop's thread comes here: no lock needed."""
        if self._client is None or self._client[0] != os.getpid():
            client = httpx.AsyncClient(
                verify=_tls(self.base_url.lower().startswith("https"), self._use_system_proxies),
                trust_env=self._use_system_proxies,
                timeout=None,  # noqa: S113  (the total above replaces the ones for single steps)
                limits=httpx.Limits(keepalive_expiry=_IDLE_SECONDS),
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            )
            self._client = os.getpid(), client
        return self._client[1]

    def _headers(self) -> dict[str, str]:
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
        }
        if self._api_key is not None:
            headers["Authorization"] = f"Bearer {self._api_key}"
        return headers

    def _excerpt(self, text: str) -> str:
        """Return the start of a server's text, on one line and scrubbed before a key can be cut."""
        printable = "".join(mark if mark.isprintable() else " " for mark in text)
        return plain.shorten(self._scrub(printable), EXCERPT)

    def _scrub(self, text: str) -> str:
        return text if self._api_key is None else spellings(self._api_key).sub(_KEY_MARK, text)


def _is_plain_address(base_url: object) -> bool:
    if not isinstance(base_url, str) or not re.fullmatch(_ADDRESS, base_url):
        return False
    try:
        return bool(httpx.URL(base_url).host)
    except (httpx.InvalidURL, ValueError):
        return False


def _is_sendable(api_key: object) -> bool:
    return (
        isinstance(api_key, str)
        and api_key.isascii()
        and api_key.isprintable()
        and api_key == api_key.strip() != ""
    )


@functools.cache
def _tls(needed: bool, trust_env: bool) -> ssl.SSLContext:
    """Return the authorities to trust: for plain http none, since loading them takes 50 ms."""
    if needed:
        return httpx.create_ssl_context(trust_env=trust_env)
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


_loops: dict[int, asyncio.AbstractEventLoop] = {}


def _loop() -> asyncio.AbstractEventLoop:
    """Return the event loop that runs on this process's own thread for requests.

    A forked child inherits the dictionary but no thread, hence the process id. `setdefault` settles
    who is first without a lock, which a fork could leave locked for ever.
    """
    if os.getpid() not in _loops:
        fresh = asyncio.new_event_loop()
        if _loops.setdefault(os.getpid(), fresh) is fresh:
            threading.Thread(target=fresh.run_forever, name=_THREAD, daemon=True).start()
        else:
            fresh.close()
    return _loops[os.getpid()]


def _from_elsewhere(_: logging.LogRecord) -> bool:
    return threading.current_thread().name != _THREAD


# httpx (INFO) and httpcore (DEBUG) log a reply's reason and headers, where a key may be echoed.
for _part in ("connection", "http11", "http2", "proxy", "socks"):
    logging.getLogger(f"httpcore.{_part}").addFilter(_from_elsewhere)
logging.getLogger("httpx").addFilter(_from_elsewhere)
