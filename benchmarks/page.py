"""The page of a report, small and of ten thousand attempts: writing it, and using it in a browser.

Writing is held against only loading the report, each in a process of its own, so that peak memory
is too. In the browser: until something is seen, until the table can be used, one filter more, one
attempt opened by its address. Needs Chromium; not on Windows.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.many import BYTES_A_UNIT
from benchmarks.samples import openings
from lab.evaluation import evaluate
from lab.evidence import load_report, save_report
from lab.page import write_page
from lab.shop.fixtures import OfflineShopModel
from tests.page.browser import browser

SIZES = (200, 10_000)
QUICK_SIZES = (3, 201)
ROUNDS = 5

TYPE = """async (words) => {
  const search = document.querySelector("#search");
  const begun = performance.now();
  search.value = words;
  search.dispatchEvent(new Event("input"));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begun;
}"""
OPENED = """async (attempt) => {
  const begun = performance.now();
  location.hash = `attempt-${attempt}`;
  const isOpen = () => document.querySelector(`#attempt-${attempt}.opened`);
  while (!isOpen()) await new Promise(requestAnimationFrame);
  return performance.now() - begun;
}"""
SEEN = """async () => {
  const seen = () => performance.getEntriesByName("first-contentful-paint")[0];
  while (!seen()) await new Promise(requestAnimationFrame);
  return seen().startTime;
}"""
READY = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"


def work(report: Path, page: Path | None) -> None:
    """Load a report, write its page where one is asked for, print seconds and peak megabytes."""
    begun = time.perf_counter()
    loaded = load_report(report)
    if page is not None:
        write_page(page, loaded)
    seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_A_UNIT / 1e6
    print(seconds, peak)


def in_a_process(*paths: Path) -> tuple[float, float]:
    """Return what `work` prints, from a process that does nothing else."""
    command = [sys.executable, "-m", "benchmarks.page", "--work", *map(str, paths)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak = map(float, ran.stdout.split())
    return seconds, peak


def in_the_browser(started: Any, page: Path, attempts: int) -> dict[str, float]:
    """Return the milliseconds of each way to use a page, from one visit."""
    visit = started.new_page()
    visit.goto(page.as_uri())
    found = {
        "first view": visit.evaluate(SEEN),
        "table ready": visit.evaluate(READY),
        "filter": max(visit.evaluate(TYPE, words) for words in ("opening 1", "tubs", "none", "")),
        "open": visit.evaluate(OPENED, attempts),
    }
    visit.close()
    return found


def measure(attempts: int, folder: Path) -> None:
    """Print a size's figures."""
    report = evaluate(OfflineShopModel, cases=openings(attempts))
    saved, _ = save_report(folder, report)
    page = folder / f"{attempts}.html"
    loading, writing = in_a_process(saved), in_a_process(saved, page)
    print(f"{attempts} attempts, a page of {page.stat().st_size / 1e6:.1f} MB")
    for name, n, unit in (("seconds", 0, "s"), ("peak memory", 1, "MB")):
        told = f"{loading[n]:9.2f} {unit} to load, {writing[n]:9.2f} with the page"
        print(f"  {name:<12} {told}, {writing[n] / loading[n]:.2f} x")
    with browser() as started:
        visits = [in_the_browser(started, page, attempts) for _ in range(ROUNDS)]
    for name in visits[0]:
        print(f"  {name:<12} {statistics.median(visit[name] for visit in visits):9.0f} ms")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="only see that it runs")
    options.add_argument("--work", nargs="+", type=Path, metavar="FILE")
    chosen = options.parse_args()
    if chosen.work:
        report, *page = chosen.work
        work(report, page[0] if page else None)
        return
    for size in QUICK_SIZES if chosen.quick else SIZES:
        with tempfile.TemporaryDirectory() as folder:
            measure(size, Path(folder))


if __name__ == "__main__":
    main()
