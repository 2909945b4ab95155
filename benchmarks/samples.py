"""The sample that every benchmark runs: `opening`, under as many names as are wanted."""

import sqlite3
import tempfile
from pathlib import Path

from lab.cases import CASES, Case
from lab.evaluation import evaluate
from lab.evidence import save_report
from lab.journal import Journal, new_path
from lab.shop.database import Database
from lab.shop.fixtures import OfflineShopModel
from lab.shop.models import ToolCall
from lab.shop.tools import shop_dispatcher

OPENING = CASES[0]


def openings(count: int) -> list[Case]:
    """Return distinct cases with the stock and answer of `opening`."""
    return [
        Case(f"opening {n}", "development", OPENING.stock, OPENING.expected) for n in range(count)
    ]


def by_hand(count: int) -> int:
    """Do the work without the lab: a fresh SQLite, the bodies of the tools, the explanation."""
    for _ in range(count):
        shop = sqlite3.connect(":memory:", isolation_level=None)
        shop.execute("CREATE TABLE stock (sku, on_hand, reserved, reorder_point, price)")
        shop.executemany("INSERT INTO stock VALUES (?, ?, ?, ?, ?)", OPENING.stock)
        rows = shop.execute("SELECT * FROM stock").fetchall()
        needs = {sku: point - (on_hand - held) for sku, on_hand, held, point, _ in rows}
        said = []
        for sku, needed in needs.items():
            (price,) = shop.execute("SELECT price FROM stock WHERE sku = ?", (sku,)).fetchone()
            said.append(f"{sku}: {needed} tubs, {needed * price} pence GBP")
        shop.close()
        assert tuple(needs.items()) == OPENING.expected, said
    return count


def shop_and_tools(count: int) -> int:
    """Do it with the lab's shop and checked tools, but no loop, transcript or grade."""
    for _ in range(count):
        with Database.fresh(OPENING.stock) as shop:
            tools = shop_dispatcher(shop)
            stock = tools.invoke(ToolCall("1", "list_stock", {}))["value"]
            for product in stock:
                arguments = {"sku": product["sku"], "quantity": product["needed"]}
                tools.invoke(ToolCall("2", "draft_order", arguments))
    return count


def in_memory(count: int) -> int:
    """Evaluate, keeping transcripts and grades in memory."""
    evaluate(OfflineShopModel, cases=openings(count))
    return count


def on_disk(count: int, repeats: int = 1) -> int:
    """Evaluate with a journal, and save the report: `count` attempts in all."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal.create(new_path(Path(folder)))
        cases = openings(count // repeats)
        report = evaluate(OfflineShopModel, cases=cases, repeats=repeats, journal=journal)
        assert report["passed"]
        save_report(folder, report)
    return count
