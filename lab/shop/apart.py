"""A candidate in a process of its own: words go in, a turn comes out, and nothing else does.

A candidate that is Python and runs beside the loop could walk from its own frame to the loop, the
transcript, the limits and, in the harness's process, the answers. `Apart` leaves it nothing to walk
to: the process is started afresh, is sent messages and tools, and answers in JSON. It is ended when
its time is over, even if it never returns. It is no sandbox: it can still read this user's files.
"""

import contextlib
import json
import os
import pickle
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter
from typing import IO, Any

from lab import plain
from lab.errors import InputError, UnavailableError
from lab.shop.models import Message, Model, ModelError, ModelTurn, Schema, ToolCall

START_SECONDS = 30.0
LONGEST_LINE = 4 * 1024 * 1024
"""Bytes of one turn; the loop refuses far smaller ones."""


class Apart:
    """Makes models that run elsewhere: `evaluate(Apart(MyModel))`.

    `factory` makes the model over there. It has to be importable, or, where cloudpickle is
    installed, anything that can be packed; InputError, when a model is made, for what cannot.
    """

    def __init__(self, factory: Callable[[], Model]) -> None:
        self.factory = factory

    def __call__(self) -> "ModelApart":
        return ModelApart(self.factory)


class ModelApart:
    """The near end of one model that runs in a process of its own."""

    def __init__(self, factory: Callable[[], Model]) -> None:
        if os.name != "posix":
            raise UnavailableError("apart: a process of its own is made on POSIX systems only")
        packed = _pack(factory)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lab.shop.apart"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            self._send(len(packed).to_bytes(8, "big") + packed)
            told = self._receive(START_SECONDS)
        except BaseException:
            self.close()
            raise
        self.name = told["name"]
        self.reasoning_effort = told["reasoning_effort"]
        self.environment = told["environment"]

    def complete(
        self,
        messages: list[Message],
        tools: list[Schema],
        *,
        timeout: float,
        max_output_tokens: int,
    ) -> ModelTurn:
        """Return the turn that came back; TimeoutError, and the process is ended, after `timeout`.

        What the candidate raised over there is raised here again: TimeoutError and ModelError as
        themselves, anything else as a RuntimeError that names it.
        """
        asked = {"messages": messages, "tools": tools, "timeout": timeout}
        line = plain.dumps({**asked, "max_output_tokens": max_output_tokens})
        self._send(line.encode() + b"\n")
        told = self._receive(timeout)
        try:
            calls = tuple(ToolCall(**call) for call in told.pop("calls"))
            return ModelTurn(calls=calls, **told)
        except (KeyError, TypeError) as error:
            raise ModelError(f"no turn came back: {plain.reason(error)}") from None

    def close(self) -> None:
        """End the process, and what it may have started in its group."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        self._process.wait()

    def _send(self, data: bytes) -> None:
        pipe: Any = self._process.stdin
        with contextlib.suppress(OSError, ValueError):  # no reply will come, which is told
            pipe.write(data)
            pipe.flush()

    def _receive(self, seconds: float) -> dict[str, Any]:
        try:
            told = plain.loads(self._line(perf_counter() + seconds).decode())
        except TimeoutError:
            self.close()
            raise TimeoutError(f"it was ended after {seconds:.3g} seconds") from None
        except ValueError:
            raise RuntimeError("the candidate's process ended, or said what is no JSON") from None
        if not isinstance(told, dict):
            raise ModelError("what came back is no turn")
        if "raised" in told:
            kind = {"TimeoutError": TimeoutError, "ModelError": ModelError}
            raise kind.get(str(told.get("kind")), RuntimeError)(str(told["raised"]))
        return told

    def _line(self, deadline: float) -> bytes:
        """Return one line, or what there is of it; nothing that holds the pipe open can delay."""
        pipe: Any = self._process.stdout
        line = b""
        while not line.endswith(b"\n") and len(line) < LONGEST_LINE:
            if pipe.closed:
                return line
            ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - perf_counter()))
            if not ready:
                raise TimeoutError
            part = os.read(pipe.fileno(), 1 << 16)
            if not part:
                return line
            line += part
        return line


def _pack(factory: Callable[[], Model]) -> bytes:
    dump: Callable[[Any], bytes] = pickle.dumps
    with contextlib.suppress(ImportError):
        import cloudpickle

        dump = cloudpickle.dumps
    try:
        return dump(factory)
    except Exception as error:  # noqa: BLE001  (it may carry anything)
        raise InputError(
            f"apart: the candidate cannot be sent to a process of its own: {plain.reason(error)};"
            " make it a class or function of a module"
        ) from None


def serve(incoming: IO[bytes], out: IO[str]) -> None:
    """Make the model that is sent first, then answer one line with one line until none comes."""

    def say(told: dict[str, Any]) -> None:
        print(json.dumps(told), file=out, flush=True)

    try:
        size = int.from_bytes(incoming.read(8), "big")
        model: Any = pickle.loads(incoming.read(size))()  # noqa: S301  (from the process it serves)
        told = [(name, getattr(model, name, None)) for name in _TOLD]
        say({name: plain.loads(plain.dumps(value)) for name, value in told})
        for line in incoming:
            asked = plain.loads(line.decode())
            messages, tools = asked.pop("messages"), asked.pop("tools")
            say(_turn(model, messages, tools, asked))
    except BaseException as error:  # noqa: BLE001  (a candidate may even call sys.exit)
        say({"raised": plain.reason(error)})


_TOLD = ("name", "reasoning_effort", "environment")


def _turn(
    model: Any, messages: list[Message], tools: list[Schema], bounds: dict[str, Any]
) -> dict[str, Any]:
    try:
        turn = model.complete(messages, tools, **bounds)
        told = {**vars(turn), "calls": [vars(call) for call in turn.calls]}
        return dict(plain.loads(plain.dumps(told)))
    except BaseException as error:  # noqa: BLE001
        return {"kind": type(error).__name__, "raised": plain.reason(error)}


if __name__ == "__main__":
    # Whatever the candidate prints goes nowhere: what is said here is heard as a turn.
    said = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    serve(sys.stdin.buffer, said)
