"""Inspect AI on our shape of sample: mock model, three turns, two tools over a fresh SQLite, log.

Run by side_by_side.py inside an environment that has inspect-ai; prints milliseconds a sample.
`--lean` switches off the live view and writes the log once, at the end.
"""

import argparse
import sqlite3
import tempfile
import time

from inspect_ai import Task
from inspect_ai import eval as run_task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import solver
from inspect_ai.tool import tool

STOCK = (("V", 2, 0, 8, 250), ("S", 1, 0, 5, 275))
NEEDS = [("S", 4), ("V", 6)]


@tool
def list_stock(shop):
    async def execute() -> str:
        """List every product."""
        return str(shop.execute("SELECT * FROM stock").fetchall())

    return execute


@tool
def draft_order(shop):
    async def execute(sku: str, quantity: int) -> str:
        """Draft a replenishment.

        Args:
            sku: the product
            quantity: tubs
        """
        (price,) = shop.execute("SELECT price FROM stock WHERE sku = ?", (sku,)).fetchone()
        return f"{sku} {quantity} {quantity * price} pence GBP DRAFT"

    return execute


@solver
def work_in_a_fresh_shop():
    async def solve(state, generate):
        shop = sqlite3.connect(":memory:")
        shop.execute("CREATE TABLE stock (sku, on_hand, reserved, reorder_point, price)")
        shop.executemany("INSERT INTO stock VALUES (?, ?, ?, ?, ?)", STOCK)
        state.tools = [list_stock(shop), draft_order(shop)]
        state = await generate(state)
        shop.close()
        return state

    return solve


@scorer(metrics=[accuracy()])
def drafted():
    async def score(state, target):
        asked = [
            (call.arguments["sku"], call.arguments["quantity"])
            for message in state.messages
            for call in getattr(message, "tool_calls", None) or []
            if call.function == "draft_order"
        ]
        return Score(value="C" if sorted(asked) == NEEDS else "I")

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


def run(count, **options):
    samples = [Sample(input="What is short?", target="", id=str(n)) for n in range(count)]
    task = Task(dataset=samples, solver=work_in_a_fresh_shop(), scorer=drafted())
    model = get_model("mockllm/model", custom_outputs=answer)
    with tempfile.TemporaryDirectory() as folder:
        (log,) = run_task(
            task, model=model, log_dir=folder, log_format="json", display="none", **options
        )
    assert log.status == "success", log.error
    assert log.results.scores[0].metrics["accuracy"].value == 1.0


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("count", type=int)
parser.add_argument("--lean", action="store_true")
chosen = parser.parse_args()
options = {"log_realtime": False, "log_buffer": chosen.count} if chosen.lean else {}
run(2, **options)
started = time.perf_counter()
run(chosen.count, **options)
print((time.perf_counter() - started) / chosen.count * 1000)
