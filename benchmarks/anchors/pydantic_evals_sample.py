"""pydantic-evals on the same work as a plain function: fresh SQLite, tool bodies; nothing is kept.

Run by side_by_side.py inside an environment that has pydantic-evals; prints milliseconds a sample.
"""

import sqlite3
import sys
import time

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected

STOCK = (("V", 2, 0, 8, 250), ("S", 1, 0, 5, 275))
NEEDS = [("V", 6), ("S", 4)]


def work(prompt: str) -> list[tuple[str, int]]:
    shop = sqlite3.connect(":memory:")
    shop.execute("CREATE TABLE stock (sku, on_hand, reserved, reorder_point, price)")
    shop.executemany("INSERT INTO stock VALUES (?, ?, ?, ?, ?)", STOCK)
    rows = shop.execute("SELECT * FROM stock").fetchall()
    drafts = [(sku, point - (on_hand - held)) for sku, on_hand, held, point, _ in rows]
    for sku, _ in drafts:
        shop.execute("SELECT price FROM stock WHERE sku = ?", (sku,)).fetchone()
    shop.close()
    return drafts


def run(count):
    cases = [
        Case(name=str(n), inputs="What is short?", expected_output=NEEDS) for n in range(count)
    ]
    dataset = Dataset(name="opening", cases=cases, evaluators=[EqualsExpected()])
    report = dataset.evaluate_sync(work, max_concurrency=1, progress=False)
    assert report.averages().assertions == 1.0


count = int(sys.argv[1])
run(2)
started = time.perf_counter()
run(count)
print((time.perf_counter() - started) / count * 1000)
