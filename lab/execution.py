"""Carrying attempts: one after another, or on an executor, and past the death of a worker."""

import pickle
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
    flight than it has workers. When a worker process dies, every attempt that it may have been
    carrying is `interrupted` and started again alone; one whose worker dies again is `lost`. A
    broken process pool is replaced by another of its kind. Dask, which would start an attempt
    again by itself and say nothing, is told not to while this lasts. Attempts that an executor can
    no longer carry are left without a last event.
    """
    if executor is None:
        for attempt, task in tasks.items():
            yield "started", attempt, None
            yield "finished", attempt, run(task)
    else:
        yield from _Carrier(run, tasks, executor).events()


def concurrency(executor: Executor | None) -> int:
    """Return how many attempts an executor carries at a time."""
    if executor is None:
        return 1
    client = _dask_client(executor)
    if client is not None:
        return int(sum(client.nthreads().values()))
    return int(getattr(executor, "_max_workers", 1))


def _dask_client(executor: Executor | None) -> Any:
    return getattr(executor, "_client", None)


def _allow_dask_failures(allowed: int, dask_scheduler: Any = None) -> int:
    """Run on Dask's scheduler: set how many dead workers it hides for a task, return the old."""
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, allowed
    return int(before)


def _is_death(error: Exception) -> bool:
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"


def _run_once(run: Callable[[Task], Any], task: Task, _: str) -> Any:
    """Run a task under a name of its own: Dask gives equal calls one run and one result."""
    return run(task)


class _Carrier:
    def __init__(
        self, run: Callable[[Task], Any], tasks: Mapping[int, Task], executor: Executor
    ) -> None:
        self.run = run
        self.tasks = tasks
        self.executor: Executor | None = executor
        self.workers = concurrency(executor)
        self.own: ProcessPoolExecutor | None = None
        self.waiting = deque(tasks)
        self.suspects: deque[int] = deque()
        self.on_trial = False
        self.running: dict[Future[Any], int] = {}

    def events(self) -> Iterator[Event]:
        self.refuse_unpicklable()
        client = _dask_client(self.executor)
        hidden = client and client.run_on_scheduler(_allow_dask_failures, allowed=0)
        try:
            while self.executor is not None and (self.waiting or self.suspects or self.running):
                yield from self.fill()
                yield from self.collect()
        finally:
            for future in self.running:
                future.cancel()
            if self.own is not None:
                self.own.shutdown(wait=False, cancel_futures=True)
            if client:
                client.run_on_scheduler(_allow_dask_failures, allowed=hidden)

    def fill(self) -> Iterator[Event]:
        """Start attempts while there is room; one whose worker died gets the pool for itself."""
        if not self.running:
            self.on_trial = bool(self.suspects)
        queue = self.suspects if self.on_trial else self.waiting
        while queue and len(self.running) < (1 if self.on_trial else self.workers):
            attempt = queue.popleft()
            yield "started", attempt, None
            self.running[self.submit(attempt)] = attempt

    def submit(self, attempt: int) -> Future[Any]:
        assert self.executor is not None
        try:
            return self.executor.submit(_run_once, self.run, self.tasks[attempt], uuid.uuid4().hex)
        except BrokenExecutor as error:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    def collect(self) -> Iterator[Event]:
        """Wait for attempts to come back, whole or not."""
        dead: list[int] = []
        is_broken = False
        for future in wait(self.running, return_when=FIRST_COMPLETED).done:
            attempt = self.running.pop(future)
            error = future.exception()
            if error is None:
                yield "finished", attempt, future.result()
            elif not isinstance(error, Exception):
                raise error
            elif _is_death(error):
                dead.append(attempt)
                is_broken = is_broken or isinstance(error, BrokenExecutor)
            else:  # the executor's own, as when a cluster is gone
                yield "lost", attempt, plain.reason(error)
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
                self.workers,
                mp_context=old._mp_context,
                initializer=old._initializer,
                initargs=old._initargs,
            )

    def refuse_unpicklable(self) -> None:
        if not isinstance(self.executor, ProcessPoolExecutor):
            return
        for task in list(self.tasks.values())[:1]:
            try:
                pickle.dumps((self.run, task))
            except Exception as error:  # noqa: BLE001  (each kind of object has its own)
                raise InputError(
                    f"this candidate cannot be sent to a worker process ({plain.reason(error)});"
                    " define its factory at the top level of a module, or use threads"
                ) from None
