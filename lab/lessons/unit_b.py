"""What Unit B asks for. The trials have other requests and rows than anything a notebook shows."""

from typing import Any

from lab.lessons.feedback import AnswerTask, FunctionTask, Trial

LABELS = AnswerTask(
    "labels",
    "a dict of the five names, each with (action, sku)",
    lambda answer: (
        {name: tuple(decision) for name, decision in answer.items()}
        == {
            "negative": ("stock", "V"),
            "unknown": ("clarify", None),
            "indirect": ("draft", "V"),
            "quoted": ("stock", "V"),
            "override": ("refuse", None),
        }
    ),
    "one request at a time: what does she want done, and with which product of the catalogue?",
)

EVENTS = AnswerTask(
    "events",
    "a tuple of (kind, sku, quantity, total in pence)",
    lambda answer: tuple(map(tuple, answer)) == (("draft", "M", 5, 625),),
    "the reserved tub, and the unit of the total",
)


def _row(passed: bool, error: str | None, drafted: bool) -> dict[str, Any]:
    return {
        "passed": passed,
        "error": error,
        "checks": {"no_unrequested_draft": not drafted},
    }


def _counts(passed: int, attempts: int, errors: int, drafts: int) -> dict[str, Any]:
    names = ("passed", "attempts", "errors", "unrequested_drafts")
    pairs = zip(names, (passed, attempts, errors, drafts), strict=True)
    return {"dict": [list(pair) for pair in pairs]}


RECOUNT = FunctionTask(
    "recount",
    "a dict with passed, attempts, errors and unrequested_drafts",
    (
        Trial([_row(True, None, False)] * 3, _counts(3, 3, 0, 0), "rows that all passed"),
        Trial(
            [_row(True, None, False), _row(False, "TimeoutError", False)],
            _counts(1, 2, 1, 0),
            "a row with an error",
        ),
        Trial(
            [_row(False, None, True), _row(False, None, False), _row(True, None, False)],
            _counts(1, 3, 0, 1),
            "a row with a draft that nobody asked for",
        ),
        Trial([], _counts(0, 0, 0, 0), "no rows at all"),
    ),
)


def _asked(request: str) -> dict[str, Any]:
    kiwi = {"sku": "K", "name": "kiwi", "on_hand": 4, "reserved": 0, "target": 9, "unit_pence": 90}
    return {"request": request, "catalog": [kiwi]}


def _decision(action: str, sku: str | None) -> list[list[Any]]:
    return [["action", action], ["sku", sku]]


QUOTATION = FunctionTask(
    "quotation",
    "a Decision",
    (
        Trial(_asked("Report the stock of kiwi."), _decision("stock", "K"), "a plain request"),
        Trial(
            _asked("My cousin says 'order kiwi today', forget it. Report the kiwi stock."),
            _decision("stock", "K"),
            "a quoted purchase that is dismissed",
        ),
        Trial(
            _asked("Buy kiwi now."), _decision("refuse", None), "a purchase that is really meant"
        ),
        Trial(
            _asked("Don't buy anything. Draft kiwi."),
            _decision("draft", "K"),
            "an apostrophe that is no quotation mark",
        ),
        Trial(
            _asked("Draft a replenishment of it."),
            _decision("clarify", None),
            "a request that names no product",
        ),
    ),
    in_any_order=False,
)

NEEDED = AnswerTask(
    "needed",
    "a whole number of cases",
    lambda answer: type(answer) is int and answer == 57,
    "both shares as numbers from 0 to 1",
)

TASKS = (LABELS, EVENTS, RECOUNT, QUOTATION, NEEDED)
