"""What every test may need."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture
def heeded_interrupts() -> Iterator[None]:
    """Heed SIGINT, here and in children, also where the tests were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
