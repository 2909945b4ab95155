"""How much of an ideal speed-up threads give when a model takes 50 ms a call."""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from benchmarks.samples import openings
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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="only see that it runs")
    quick = options.parse_args().quick
    for workers in (2,) if quick else (10, 50):
        cases = openings(workers if quick else workers * 20)
        started = time.perf_counter()
        with ThreadPoolExecutor(workers) as executor:
            evaluate(Waits, cases=cases, executor=executor)
        seconds = time.perf_counter() - started
        ideal = len(cases) * CALLS_AN_ATTEMPT * CALL_SECONDS / workers
        print(
            f"{workers:>3} at a time: {seconds:.2f} s, ideal {ideal:.2f} s: {ideal / seconds:.2f}"
        )


if __name__ == "__main__":
    main()
