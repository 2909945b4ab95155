"""Many attempts with the journal on and the report saved: time and memory at three sizes.

Each size has a fresh process, so that its peak is its own.
"""

import argparse
import resource
import subprocess
import sys
import time

from benchmarks.samples import on_disk


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="only see that it runs")
    options.add_argument("--one", type=int, help="run this many here and print what they took")
    chosen = options.parse_args()
    if chosen.one:
        started = time.perf_counter()
        on_disk(chosen.one)
        seconds = time.perf_counter() - started
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{chosen.one:>6} attempts {seconds:8.2f} s {seconds / chosen.one * 1000:8.3f} ms each"
            f" {megabytes:8.0f} MB at the most"
        )
        return
    for size in (3, 6) if chosen.quick else (1_000, 3_000, 10_000):
        command = [sys.executable, "-m", "benchmarks.many", "--one", str(size)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
