"""The lab beside Inspect AI and pydantic-evals, taking turns on one machine.

They do different work, so two comparisons are made and no third. Inspect keeps transcripts, events
and a log file: it stands beside the lab with its journal and saved report. pydantic-evals calls a
plain function and keeps its result: it stands beside the lab in memory, which besides runs the
agent's loop, keeps the transcript and grades with eight checks.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PINS = ("inspect-ai==0.3.285", "pydantic-evals==2.62.0")
ANCHORS = Path(__file__).parent / "anchors"
LAB = (
    "import sys, time; from benchmarks.samples import {work};"
    " {work}(2); started = time.perf_counter(); {work}(int(sys.argv[1]));"
    " print((time.perf_counter() - started) / int(sys.argv[1]) * 1000)"
)


def milliseconds(python: Path | str, *code: str, samples: int) -> float:
    """Run a program that prints its milliseconds a sample, in a fresh process."""
    command = [str(python), *code, str(samples)]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def compare(python: Path, rounds: int, samples: int) -> None:
    """Take turns, and print medians and the two ratios."""
    programs: dict[str, tuple[Path | str, tuple[str, ...]]] = {
        "the lab, journal and saved report": (sys.executable, ("-c", LAB.format(work="on_disk"))),
        PINS[0]: (python, (str(ANCHORS / "inspect_sample.py"),)),
        "the lab, in memory": (sys.executable, ("-c", LAB.format(work="in_memory"))),
        PINS[1]: (python, (str(ANCHORS / "pydantic_evals_sample.py"),)),
    }
    taken: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, (interpreter, code) in programs.items():
            taken[name].append(milliseconds(interpreter, *code, samples=samples))
    median = {name: statistics.median(times) for name, times in taken.items()}
    for name, value in median.items():
        print(f"{name:<40} {value:8.3f} ms a sample")
    on_disk, in_memory, *_ = list(programs)[0::2]
    for anchor, ours in zip(PINS, (on_disk, in_memory), strict=True):
        print(f"{anchor} takes {median[anchor] / median[ours]:.2f} times what {ours} takes")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--install", action="store_true", help="install the two and compare")
    options.add_argument("--python", type=Path, help="an interpreter that has them already")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--samples", type=int, default=200)
    chosen = options.parse_args()
    if chosen.python:
        compare(chosen.python, chosen.rounds, chosen.samples)
    elif chosen.install:
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder, with_pip=True)
            python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
            subprocess.run([python, "-m", "pip", "install", "-q", *PINS], check=True)
            compare(python, chosen.rounds, chosen.samples)
    else:
        print(f"{' and '.join(PINS)} are not here; --install fetches them for one comparison")


if __name__ == "__main__":
    main()
