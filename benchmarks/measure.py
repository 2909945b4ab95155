"""Timing side by side: every work gets its turn, again and again, and medians are compared."""

import gc
import statistics
import time
from collections.abc import Callable, Mapping


def interleaved(works: Mapping[str, Callable[[], int]], *, rounds: int) -> dict[str, float]:
    """Return each work's median milliseconds a sample; a work returns how many samples it did.

    Taking turns spreads a busy machine's moods over all. Everyone's first turn is not counted.
    """
    taken: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(rounds + 1):
        for name, work in works.items():
            gc.collect()
            started = time.perf_counter()
            samples = work()
            milliseconds = (time.perf_counter() - started) / samples * 1000
            if turn:
                taken[name].append(milliseconds)
    return {name: statistics.median(times) for name, times in taken.items()}


def show(medians: Mapping[str, float], against: str) -> None:
    """Print each median, and how many times the one that it is held against."""
    for name, milliseconds in medians.items():
        print(f"{name:<48} {milliseconds:9.3f} ms {milliseconds / medians[against]:9.2f} x")
