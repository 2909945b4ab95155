"""Candidates that a worker process can import."""

import os
import signal
import time
import uuid
from pathlib import Path
from typing import Any

from lab.shop.fixtures import OfflineShopModel
from lab.shop.models import ModelTurn


class Slow(OfflineShopModel):
    """Takes a little while to be made."""

    def __init__(self) -> None:
        time.sleep(0.05)


class Counts(OfflineShopModel):
    """Leaves a file behind each time it is made."""

    def __init__(self, folder: str) -> None:
        (Path(folder) / uuid.uuid4().hex).touch()


class DiesOnReservations(OfflineShopModel):
    """Takes its worker with it where it sees that tubs are reserved."""

    def complete(self, messages: Any, tools: Any, **options: Any) -> ModelTurn:
        if '"reserved":3' in str(messages):
            os._exit(3)
        return super().complete(messages, tools, **options)


class KilledOnce(OfflineShopModel):
    """Is killed with its worker the first time it sees that tubs are reserved."""

    def __init__(self, marker: str) -> None:
        self.marker = Path(marker)

    def complete(self, messages: Any, tools: Any, **options: Any) -> ModelTurn:
        if '"reserved":3' in str(messages) and not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().complete(messages, tools, **options)
