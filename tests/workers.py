"""Candidates that a worker process can import."""

import os
import signal
import time
import uuid
from pathlib import Path
from typing import Any

from lab.shop.fixtures import OfflineShopModel
from lab.shop.models import ModelTurn


def is_third(messages: Any) -> bool:
    """Whether this is the case `reserved_stock`, told by its tubs, since nobody says its name."""
    return '"reserved":3' in str(messages)


class Slow(OfflineShopModel):
    """Takes a little while to be made."""

    def __init__(self, seconds: float = 0.05) -> None:
        time.sleep(seconds)


class Counts(OfflineShopModel):
    """Leaves a file behind each time it is made."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        (self.folder / uuid.uuid4().hex).touch()


class Lingers(Counts):
    """Leaves its process's number in a file and lingers, once, where tubs are reserved."""

    def complete(self, messages: Any, tools: Any, **options: Any) -> ModelTurn:
        number = self.folder / "number"
        if is_third(messages) and not number.exists():
            number.with_suffix(".new").write_text(str(os.getpid()))
            number.with_suffix(".new").rename(number)
            time.sleep(1.5)
        return super().complete(messages, tools, **options)


class LeavesItsNumber(Slow):
    """Leaves a file with its process's number, and takes its time."""

    def __init__(self, folder: str, seconds: float) -> None:
        (Path(folder) / str(os.getpid())).touch()
        super().__init__(seconds)


class Fails(OfflineShopModel):
    """Raises what it was given where it sees that tubs are reserved."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def complete(self, messages: Any, tools: Any, **options: Any) -> ModelTurn:
        if is_third(messages):
            raise self.error
        return super().complete(messages, tools, **options)


class DiesOnReservations(OfflineShopModel):
    """Takes its worker with it where it sees that tubs are reserved."""

    def complete(self, messages: Any, tools: Any, **options: Any) -> ModelTurn:
        if is_third(messages):
            os._exit(3)
        return super().complete(messages, tools, **options)


class KilledOnce(OfflineShopModel):
    """Is killed with its worker the first time it sees that tubs are reserved."""

    def __init__(self, marker: str) -> None:
        self.marker = Path(marker)

    def complete(self, messages: Any, tools: Any, **options: Any) -> ModelTurn:
        if is_third(messages) and not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().complete(messages, tools, **options)


class NeedsPreparation(KilledOnce):
    """Is no use in a worker that was not prepared."""

    def __init__(self, marker: str) -> None:
        super().__init__(marker)
        if os.environ.get("LAB_TEST_PREPARED") != "yes":
            raise RuntimeError("this worker was not prepared")


def prepare(word: str) -> None:
    os.environ["LAB_TEST_PREPARED"] = word


def evaluate_until_killed(kind: str, folder: str) -> None:
    """Keep two worker processes of a pool busy until somebody kills this one."""
    import functools
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    from lab.evaluation import evaluate

    with ProcessPoolExecutor(2, mp_context=get_context(kind)) as pool:
        evaluate(functools.partial(LeavesItsNumber, folder, 1.0), executor=pool)
