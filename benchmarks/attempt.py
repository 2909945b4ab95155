"""What one attempt costs, and how much of it the lab adds to the bare work."""

import argparse

from benchmarks.measure import interleaved, show
from benchmarks.samples import by_hand, in_memory, on_disk, shop_and_tools


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="only see that it runs")
    rounds, count = (1, 3) if options.parse_args().quick else (25, 200)
    medians = interleaved(
        {
            "by hand: fresh SQLite, bodies of the tools": lambda: by_hand(count),
            "the lab's shop and tools, no loop": lambda: shop_and_tools(count),
            "evaluated, in memory": lambda: in_memory(count),
            "evaluated, with journal and saved report": lambda: on_disk(count),
        },
        rounds=rounds,
    )
    show(medians, "by hand: fresh SQLite, bodies of the tools")


if __name__ == "__main__":
    main()
