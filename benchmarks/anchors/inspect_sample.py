"""Inspect AI on our shape of sample: mock model, three turns, two tools over a fresh SQLite, log.

Run by side_by_side.py inside an environment that has inspect-ai; prints milliseconds a sample.
"""

import sqlite3
import sys
import tempfile
import time

from inspect_ai import Task
from inspect_ai import eval as run_task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool
from inspect_ai.util import store

STOCK = (("V", 2, 0, 8, 250), ("S", 1, 0, 5, 275))
NEEDS = (("V", 6), ("S", 4))


def shop():
    kept = store().get("shop")
    if kept is None:
        kept = sqlite3.connect(":memory:", check_same_thread=False)
        kept.execute("CREATE TABLE stock (sku, on_hand, reserved, reorder_point, price)")
        kept.executemany("INSERT INTO stock VALUES (?, ?, ?, ?, ?)", STOCK)
        store().set("shop", kept)
    return kept


@tool
def list_stock():
    async def execute() -> str:
        """List every product."""
        return str(shop().execute("SELECT * FROM stock").fetchall())

    return execute


@tool
def draft_order():
    async def execute(sku: str, quantity: int) -> str:
        """Draft a replenishment.

        Args:
            sku: the product
            quantity: tubs
        """
        (price,) = shop().execute("SELECT price FROM stock WHERE sku = ?", (sku,)).fetchone()
        return f"{sku} {quantity} {quantity * price} pence GBP DRAFT"

    return execute


@scorer(metrics=[accuracy()])
def drafted():
    async def score(state, target):
        shop().close()
        store().set("shop", None)
        asked = [
            (call.arguments["sku"], call.arguments["quantity"])
            for message in state.messages
            for call in getattr(message, "tool_calls", None) or []
            if call.function == "draft_order"
        ]
        return Score(value="C" if sorted(asked) == sorted(NEEDS) else "I")

    return score


def answer(messages, tools, choice, config):
    turns = sum(message.role == "assistant" for message in messages)
    if turns == 0:
        output = ModelOutput.for_tool_call("mockllm", "list_stock", {})
    elif turns == 1:
        output = ModelOutput.for_tool_call("mockllm", "draft_order", {"sku": "V", "quantity": 6})
        second = ModelOutput.for_tool_call("mockllm", "draft_order", {"sku": "S", "quantity": 4})
        output.message.tool_calls += second.message.tool_calls
    else:
        output = ModelOutput.from_content("mockllm", "1500 pence GBP and 1100 pence GBP.")
    output.usage = ModelUsage()  # else it fetches a vocabulary to count with
    return output


def run(count):
    samples = [Sample(input="What is short?", target="", id=str(n)) for n in range(count)]
    task = Task(
        dataset=samples,
        solver=[use_tools(list_stock(), draft_order()), generate()],
        scorer=drafted(),
    )
    model = get_model("mockllm/model", custom_outputs=answer)
    with tempfile.TemporaryDirectory() as folder:
        (log,) = run_task(task, model=model, log_dir=folder, log_format="json", display="none")
    assert log.status == "success", log.error
    assert log.results.scores[0].metrics["accuracy"].value == 1.0


count = int(sys.argv[1])
run(2)
started = time.perf_counter()
run(count)
print((time.perf_counter() - started) / count * 1000)
