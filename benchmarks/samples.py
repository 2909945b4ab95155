"""The sample that every benchmark runs: `opening`, under as many names as are wanted."""

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


def bare(count: int) -> int:
    """Do the work by hand, unguarded and ungraded: a fresh shop, the tools, the explanation."""
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


def on_disk(count: int) -> int:
    """Evaluate with a journal, and save the report."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal.create(new_path(Path(folder)))
        save_report(folder, evaluate(OfflineShopModel, cases=openings(count), journal=journal))
    return count
