"""The plain calculation that an agent has to beat, and how it is run and timed."""

import json
from collections.abc import Callable, Iterable
from time import perf_counter, perf_counter_ns
from typing import Any, NamedTuple

from lab import plain
from lab.cases import Case, Draft, without_answer
from lab.shop.transcript import Drafted, render

Baseline = Callable[[Case], Iterable[Draft]]

SCOPE = "the calculation alone, on stock it was handed; reading that stock is not in it"


def baseline(case: Case) -> list[Draft]:
    """Return the (sku, quantity in tubs) drafts a script would make, in the order of the stock.

    A quantity is `threshold - (on_hand - reserved)` where that is positive. No model is called
    and `case.expected` is not read.
    """
    needs = [
        (sku, threshold - (on_hand - reserved))
        for sku, on_hand, reserved, threshold, _ in case.stock
    ]
    return [(sku, need) for sku, need in needs if need > 0]


class BaselineRun(NamedTuple):
    """What a baseline came to: a row's entry, and the stages of the script's span it timed."""

    entry: dict[str, Any]
    span: dict[str, float | None]


NOT_RUN = BaselineRun(
    {"drafts": None, "error": None, "model_calls": None, "seconds": None, "scope": None}, {}
)


def run_baseline(chosen: Baseline, case: Case) -> BaselineRun:
    """Run a baseline on a case without its answer, and keep what it returned or why it broke.

    `seconds` is the calculation alone, on a nanosecond clock. The number of model calls is known
    to be 0 for this lab's own baseline and unknown for any other.
    """
    given = without_answer(case)
    error = None
    answer: Iterable[Draft] = ()
    started_ns = perf_counter_ns()
    try:
        answer = chosen(given)
    except Exception as failure:  # noqa: BLE001  (a learner's baseline may do anything)
        error = plain.reason(failure)
    seconds = (perf_counter_ns() - started_ns) / 1e9
    drafts, deliver = None, None
    if error is None:
        try:
            drafts, deliver = _delivered(answer, case)
        except Exception as failure:  # noqa: BLE001
            error = f"not (sku, quantity) pairs: {plain.reason(failure)}"
    entry = {
        "drafts": drafts,
        "error": error,
        "model_calls": 0 if chosen is baseline else None,
        "seconds": seconds,
        "scope": SCOPE,
    }
    return BaselineRun(entry, {"decide": seconds, "deliver": deliver})


def _delivered(answer: Iterable[Draft], case: Case) -> tuple[list[list[Any]], float]:
    """Return the drafts as plain data, and the seconds that writing them for a person takes.

    A draft of no product, or of no number, is kept and has no total to write.
    """
    prices = {sku: price for sku, _, _, _, price in case.stock}
    started = perf_counter()
    drafts = json.loads(plain.dumps([[sku, quantity] for sku, quantity in answer]))
    render(
        Drafted(sku, quantity, quantity * prices[sku])
        for sku, quantity in drafts
        if type(sku) is str and sku in prices and type(quantity) is int
    )
    return drafts, perf_counter() - started
