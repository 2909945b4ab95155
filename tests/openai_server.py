"""A small OpenAI-compatible server around a fixture, so that the whole way over HTTP can be run."""

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lab.shop.fixtures import OfflineShopModel


@contextlib.contextmanager
def openai_server(seconds_a_reply: float = 0.0, tokens_a_tool: int = 40) -> Iterator[str]:
    """Serve the offline fixture on loopback and give the base URL.

    With `tokens_a_tool` 0 it counts as a server does whose template leaves tools out.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            time.sleep(seconds_a_reply)
            body = json.dumps(reply(request, tokens_a_tool)).encode()
            with contextlib.suppress(OSError):  # the client may be gone
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def reply(request: dict[str, Any], tokens_a_tool: int) -> dict[str, Any]:
    """Answer one chat request as the fixture would, with made-up usage."""
    turn = OfflineShopModel().complete(request["messages"], [], timeout=1, max_output_tokens=1)
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for call in turn.calls
    ]
    message = {"role": "assistant", "content": turn.content, "tool_calls": calls}
    prompt_tokens = 100 + tokens_a_tool * len(request.get("tools", ()))
    usage = {"completion_tokens": 7, "prompt_tokens": prompt_tokens}
    return {"choices": [{"index": 0, "message": message}], "usage": usage}
