"""Many attempts with the journal on and the report saved: time and memory at three sizes.

Each size has a fresh process, so that its peak is its own. Not for Windows, which does not tell a
process its peak this way.
"""

import argparse
import resource
import subprocess
import sys
import time

from benchmarks.samples import on_disk

BYTES_A_UNIT = 1 if sys.platform == "darwin" else 1024
SIZES = ((1_000, 1), (3_000, 1), (10_000, 1), (10_000, 5))
QUICK_SIZES = ((3, 1), (10, 5))


def one(attempts: int, repeats: int) -> None:
    """Run one size in this process and print its line; everything but imports is timed."""
    started, cpu_started = time.perf_counter(), time.process_time()
    on_disk(attempts, repeats)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu_started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_A_UNIT / 1_000_000
    print(
        f"{attempts:>6} attempts ({attempts // repeats} cases x {repeats}):"
        f" {seconds:.2f} s, {seconds / attempts * 1000:.3f} ms each"
        f" ({cpu / attempts * 1000:.3f} of CPU), {peak:.0f} MB at the most"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="only see that it runs")
    options.add_argument("--one", type=int, nargs=2, metavar=("ATTEMPTS", "REPEATS"))
    chosen = options.parse_args()
    if chosen.one:
        one(*chosen.one)
        return
    for size in QUICK_SIZES if chosen.quick else SIZES:
        command = [sys.executable, "-m", "benchmarks.many", "--one", *map(str, size)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
