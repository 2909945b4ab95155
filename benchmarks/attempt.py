"""What one attempt costs, and how much of it the lab adds to the bare work."""

import argparse

from benchmarks.measure import interleaved, show
from benchmarks.samples import bare, in_memory, on_disk


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="only see that it runs")
    rounds, count = (1, 3) if options.parse_args().quick else (15, 200)
    medians = interleaved(
        {
            "bare work: fresh shop, three tool calls": lambda: bare(count),
            "evaluated, in memory": lambda: in_memory(count),
            "evaluated, with journal and saved report": lambda: on_disk(count),
        },
        rounds=rounds,
    )
    show(medians, "bare work: fresh shop, three tool calls")


if __name__ == "__main__":
    main()
