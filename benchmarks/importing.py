"""What `import lab` adds to an interpreter that starts, and that nothing heavy comes with it."""

import argparse
import statistics
import subprocess
import sys
import time

HEAVY = [
    "pydantic",
    "httpx",
    "rich",
    "sqlite3",
    "asyncio",
    "concurrent.futures",
    "xllamacpp",
    "distributed",
    "numpy",
    "pandas",
    "scipy",
    "matplotlib",
    "jinja2",
]
LIST = f"import sys, lab; print([name for name in {HEAVY} if name in sys.modules])"


def seconds(code: str) -> float:
    """Run a fresh interpreter and return how long it took."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - started


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="only see that it runs")
    rounds = 2 if options.parse_args().quick else 25
    pairs = [(seconds("pass"), seconds("import lab")) for _ in range(rounds)]
    empty, full = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"an empty interpreter {empty:.3f} s, with `import lab` {full:.3f} s:", end=" ")
    print(f"{full - empty:.3f} s more, {full / empty:.2f} x")
    print("heavy modules that came with it:", flush=True)
    subprocess.run([sys.executable, "-c", LIST], check=True)


if __name__ == "__main__":
    main()
