"""How much of an ideal speed-up threads give when a model takes 50 ms a call."""

import argparse
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from benchmarks.samples import in_memory, openings
from lab.evaluation import evaluate
from lab.shop.fixtures import OfflineShopModel
from lab.shop.models import ModelTurn

CALL_SECONDS = 0.05
CALLS_AN_ATTEMPT = 3


class Waits(OfflineShopModel):
    """The offline fixture, as slow as a model behind a network."""

    def complete(self, *messages: Any, **options: Any) -> ModelTurn:
        time.sleep(CALL_SECONDS)
        return super().complete(*messages, **options)


def seconds(workers: int, attempts: int) -> float:
    """Time one evaluation, the starting of the threads included."""
    cases = openings(attempts)
    started = time.perf_counter()
    with ThreadPoolExecutor(workers) as executor:
        evaluate(Waits, cases=cases, executor=executor)
    return time.perf_counter() - started


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="only see that it runs")
    quick = options.parse_args().quick
    in_memory(2)  # what only a process's first evaluation costs
    sizes, rounds, waves = ((2,), 1, 1) if quick else ((10, 50), 5, 20)
    taken: dict[int, list[float]] = {workers: [] for workers in sizes}
    for _ in range(rounds):
        for workers in sizes:
            taken[workers].append(seconds(workers, workers * waves))
    ideal = waves * CALLS_AN_ATTEMPT * CALL_SECONDS
    for workers, times in taken.items():
        median = statistics.median(times)
        efficiencies = f"{ideal / median:.2f} of it ({ideal / max(times):.2f} at the worst)"
        print(f"{workers:>3} at a time: {median:.2f} s, ideal {ideal:.2f} s: {efficiencies}")


if __name__ == "__main__":
    main()
