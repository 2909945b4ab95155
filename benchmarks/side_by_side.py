"""The lab beside Inspect AI and pydantic-evals, taking turns on one machine.

They do different work, so two comparisons are made and no third; `DOES` says what each does.
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
VERSIONS = (
    "from importlib.metadata import version;"
    " print(*(f'{name} {version(name)}' for name in ('inspect-ai', 'pydantic-evals')), sep=', ')"
)

ON_DISK = "the lab, journal and saved report"
IN_MEMORY = "the lab, in memory"
INSPECT = "Inspect AI, JSON log, as it comes"
LEAN_INSPECT = "Inspect AI, no live view, one write"
PYDANTIC = "pydantic-evals, a plain function"
HELD_AGAINST = ((INSPECT, ON_DISK), (LEAN_INSPECT, ON_DISK), (PYDANTIC, IN_MEMORY))

DOES = {
    ON_DISK: "loop, transcript, eight checks, baseline; each start and finish flushed; a report",
    INSPECT: "loop, typed events, transcript, one score; events to a live view; the log rewritten"
    " every ten samples",
    LEAN_INSPECT: "the same, but no sample on disk before the end",
    IN_MEMORY: "loop, transcript, eight checks, baseline; no file",
    PYDANTIC: "the SQLite work by hand, one value compared; no loop, no transcript, no file",
}


def compare(python: Path, rounds: int, samples: int) -> None:
    """Take turns; print medians, the least and the most, ratios and what each one does."""
    print(output(python, "-c", VERSIONS).strip())
    inspect = str(ANCHORS / "inspect_sample.py")
    programs: dict[str, tuple[Path | str, list[str]]] = {
        ON_DISK: (sys.executable, ["-c", LAB.format(work="on_disk")]),
        INSPECT: (python, [inspect]),
        LEAN_INSPECT: (python, [inspect, "--lean"]),
        IN_MEMORY: (sys.executable, ["-c", LAB.format(work="in_memory")]),
        PYDANTIC: (python, [str(ANCHORS / "pydantic_evals_sample.py")]),
    }
    taken: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, (interpreter, code) in programs.items():
            taken[name].append(float(output(interpreter, *code, str(samples))))
    for name, times in taken.items():
        middle = f"{statistics.median(times):8.3f} ms a sample"
        print(f"{name:<36} {middle} ({min(times):.3f} to {max(times):.3f}): {DOES[name]}")
    for other, ours in HELD_AGAINST:
        pairs = [b / a for a, b in zip(taken[ours], taken[other], strict=True)]
        print(f"{other}: {statistics.median(pairs):.2f} times what {ours} takes")


def output(*command: Path | str) -> str:
    """Run a program in a fresh process and return what it prints."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def install(folder: str) -> Path:
    """Make an environment with the two in it, as pinned where that can be had; return its python.

    Where a pin cannot be had it is whatever version pip finds, which `compare` names.
    """
    venv.create(folder, with_pip=True)
    python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    for pin in PINS:
        fetch = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        if subprocess.run([*fetch, pin], check=False).returncode:
            print(f"{pin} cannot be had here; taking another version")
            subprocess.run([*fetch, pin.partition("==")[0]], check=True)
    return python


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--install", action="store_true", help="install the two and compare")
    options.add_argument("--python", type=Path, help="an interpreter that has them already")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--samples", type=int, default=200)
    chosen = options.parse_args()
    if chosen.python:
        compare(chosen.python, chosen.rounds, chosen.samples)
    elif chosen.install:
        with tempfile.TemporaryDirectory() as folder:
            compare(install(folder), chosen.rounds, chosen.samples)
    else:
        print(f"{' and '.join(PINS)} are not here; --install fetches them for one comparison")


if __name__ == "__main__":
    main()
