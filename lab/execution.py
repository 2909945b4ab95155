"""Carrying attempts: one after another, or on an executor, and past the death of a worker."""

import functools
import os
import pickle
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from dataclasses import dataclass
from multiprocessing import parent_process
from typing import Any, Literal, TypeVar

from lab import plain
from lab.errors import InputError

Task = TypeVar("Task")
Event = tuple[Literal["started", "finished", "interrupted", "lost"], int, Any]
"""What happened, to which attempt (its place in the plan), and the record or the reason."""


def carry(
    run: Callable[[Task], Any], tasks: Mapping[int, Task], executor: Executor | None
) -> Iterator[Event]:
    """Run every task and yield each event when it happens; `finished` brings what `run` returned.

    An attempt is yielded as `started` before it is carried out. On an executor no more are in
    flight than it has workers. When a worker is gone, every attempt that it may have been carrying
    is `interrupted` and started again alone; one whose worker is gone again is `lost`. A broken
    process pool is replaced by another of its kind. Dask would start an attempt again by itself
    and say nothing; here its second start only reports the first. Attempts that an executor can no
    longer carry are left without a last event. InputError where it cannot carry even one.
    """
    if executor is None:
        for attempt, task in tasks.items():
            yield "started", attempt, None
            yield "finished", attempt, run(task)
    else:
        yield from _Carrier(run, tasks, executor).events()


def concurrency(executor: Executor | None) -> int:
    """Return how many attempts an executor carries at a time; 1 where it does not say."""
    if executor is not None and _is_dask(executor):
        try:
            return max(1, sum(executor._client.nthreads().values()))  # type: ignore[attr-defined]
        except Exception:  # noqa: BLE001  (its cluster is gone: carrying will meet that too)
            return 1
    return int(getattr(executor, "_max_workers", 1))


def leave_with_parent() -> None:
    """In a worker process, end it as soon as the process that it works for has died.

    Otherwise the workers of a run that was killed would wait for work for ever.
    """
    _watch_parent(os.getpid())


@functools.cache
def _watch_parent(_: int) -> None:
    parent = parent_process()

    def leave() -> None:
        assert parent is not None
        parent.join()
        os._exit(1)

    if parent is not None:
        threading.Thread(target=leave, daemon=True).start()


@dataclass(frozen=True)
class _Unreadable:
    """What a worker process returns of an attempt that it could not unpack."""

    reason: str


@dataclass(frozen=True)
class _StartedBefore:
    """What Dask's second start of an attempt returns."""


def _run_packed(packed: bytes) -> Any:
    """Run a task in a worker process of a pool."""
    leave_with_parent()
    try:
        run, task = pickle.loads(packed)  # noqa: S301  (packed by the process that this one serves)
    except Exception as error:  # noqa: BLE001  (importing the candidate may raise anything)
        return _Unreadable(plain.reason(error))
    return run(task)


def _run_with_ticket(run: Callable[[Task], Any], task: Task, ticket: str) -> Any:
    """Run a task on Dask if its ticket has not been taken yet.

    A worker that is lost or retired, or whose result is, has its tasks started again elsewhere.
    """
    held = _ticket(ticket)
    if not held.is_set():
        return _StartedBefore()
    held.clear()
    return run(task)


def _ticket(name: str, client: Any = None) -> Any:
    from distributed import Event

    return Event(name, client)  # type: ignore[no-untyped-call]


def _is_dask(executor: Executor) -> bool:
    return type(executor).__module__.partition(".")[0] == "distributed"


def _submit(executor: Executor, run: Callable[[Task], Any], task: Task) -> Future[Any]:
    if isinstance(executor, ProcessPoolExecutor):
        return executor.submit(_run_packed, pickle.dumps((run, task)))
    if not _is_dask(executor):
        return executor.submit(run, task)
    # The ticket's name also tells equal calls apart, of which Dask would make one.
    ticket = f"attempt-{uuid.uuid4().hex}"
    _ticket(ticket, executor._client).set()  # type: ignore[attr-defined]
    return executor.submit(_run_with_ticket, run, task, ticket)


def _read(future: Future[Any]) -> tuple[Literal["finished", "interrupted", "lost"], Any]:
    """Say how an attempt came back, whole or not."""
    if future.cancelled():  # by its executor, as when a cluster is restarted
        return "interrupted", None
    error = future.exception()
    if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
        return "interrupted", error
    if error is not None and not isinstance(error, Exception):
        raise error
    if error is not None:  # the executor's own
        return "lost", plain.reason(error)
    outcome = future.result()
    if isinstance(outcome, _Unreadable):
        raise _cannot_be_sent(outcome.reason)
    return ("interrupted", None) if isinstance(outcome, _StartedBefore) else ("finished", outcome)


def _cannot_be_sent(reason: str) -> InputError:
    return InputError(
        f"this candidate cannot be sent to a worker process ({reason}); define its factory at the"
        " top level of a module that can be imported there, or use threads"
    )


class _Carrier:
    def __init__(
        self, run: Callable[[Task], Any], tasks: Mapping[int, Task], executor: Executor
    ) -> None:
        self.run = run
        self.tasks = tasks
        self.executor: Executor | None = executor
        self.own: ProcessPoolExecutor | None = None
        self.waiting = deque(tasks)
        self.suspects: deque[int] = deque()
        self.on_trial = False
        self.has_begun = False
        self.running: dict[Future[Any], int] = {}

    def events(self) -> Iterator[Event]:
        self.refuse_unpicklable()
        try:
            while self.running or (self.executor is not None and (self.waiting or self.suspects)):
                yield from self.fill()
                yield from self.collect()
        finally:
            for future in self.running:
                future.cancel()
            if self.own is not None:
                self.own.shutdown(wait=False, cancel_futures=True)

    def fill(self) -> Iterator[Event]:
        """Start attempts while there is room; one whose worker died gets the pool for itself."""
        if not self.running:
            self.on_trial = bool(self.suspects)
        queue = self.suspects if self.on_trial else self.waiting
        room = 1 if self.on_trial else concurrency(self.executor)
        while self.executor is not None and queue and len(self.running) < room:
            attempt = queue.popleft()
            yield "started", attempt, None
            future = self.submit(attempt)
            if future is not None:
                self.running[future] = attempt

    def submit(self, attempt: int) -> Future[Any] | None:
        """Hand an attempt to the executor; None, and no executor any more, if that is over."""
        assert self.executor is not None
        try:
            future = _submit(self.executor, self.run, self.tasks[attempt])
        except BrokenExecutor as error:
            future = Future()
            future.set_exception(error)
        except Exception as error:  # noqa: BLE001  (each kind of executor has its own)
            self.executor = None
            if not self.has_begun:
                raise InputError(
                    f"the executor takes no attempt ({plain.reason(error)}); it has to be open,"
                    " and the candidate such that it can be sent to its workers"
                ) from None
            return None
        self.has_begun = True
        return future

    def collect(self) -> Iterator[Event]:
        """Wait for attempts to come back."""
        dead: list[int] = []
        is_broken = False
        for future in wait(self.running, return_when=FIRST_COMPLETED).done:
            attempt = self.running.pop(future)
            event, detail = _read(future)
            if event == "interrupted":
                dead.append(attempt)
                is_broken = is_broken or isinstance(detail, BrokenExecutor)
            else:
                yield event, attempt, detail
        if is_broken:  # every attempt that was in flight is gone with the pool
            dead += self.running.values()
            self.running.clear()
            self.replace_pool()
        yield from self.bury(sorted(dead))

    def bury(self, dead: list[int]) -> Iterator[Event]:
        """Have attempts tried again whose worker died, once."""
        for attempt in dead:
            if self.on_trial:
                yield "lost", attempt, "its worker process died, twice"
            else:
                yield "interrupted", attempt, None
                self.suspects.append(attempt)

    def replace_pool(self) -> None:
        old = self.executor
        self.executor = None
        if isinstance(old, ProcessPoolExecutor):
            if self.own is not None:
                self.own.shutdown(wait=False)
            # A broken pool stays broken, and only its private fields say how it was made.
            self.own = self.executor = ProcessPoolExecutor(
                concurrency(old),
                mp_context=old._mp_context,
                initializer=old._initializer,
                initargs=old._initargs,
                max_tasks_per_child=getattr(old, "_max_tasks_per_child", None),
            )

    def refuse_unpicklable(self) -> None:
        if not isinstance(self.executor, ProcessPoolExecutor):
            return
        for task in list(self.tasks.values())[:1]:
            try:
                pickle.dumps((self.run, task))
            except Exception as error:  # noqa: BLE001  (each kind of object has its own)
                raise _cannot_be_sent(plain.reason(error)) from None
