"""What Unit A asks for. The trials have other names and numbers than anything a notebook shows."""

from typing import Any

from lab.cases import Case
from lab.lessons.feedback import AnswerTask, FunctionTask, Trial

DRAFTS = "a list of (sku, quantity) pairs"


def _trial(stock: tuple[Any, ...], expected: list[list[Any]], shows: str) -> Trial:
    return Trial(Case("case", "development", stock, ()), expected, shows)


BASELINE = FunctionTask(
    "baseline",
    DRAFTS,
    (
        _trial(
            (("V", 2, 0, 8, 250), ("S", 1, 0, 5, 275)), [["V", 6], ["S", 4]], "the opening case"
        ),
        _trial((("K", 4, 0, 9, 120), ("L", 3, 0, 5, 80)), [["K", 5], ["L", 2]], "other names"),
        _trial((("K", 7, 0, 7, 120),), [], "a stock that stands exactly at its threshold"),
        _trial((("K", 9, 4, 8, 120),), [["K", 3]], "tubs that are reserved"),
        _trial((("K", 1, 4, 2, 120),), [["K", 5]], "more tubs reserved than there are"),
        _trial((("K", 30, 0, 7, 120),), [], "more stock than is needed"),
        _trial((), [], "an empty catalogue"),
    ),
)

RESERVATION = AnswerTask(
    "reservation",
    "a tuple of (sku, quantity) pairs",
    lambda answer: tuple(map(tuple, answer)) == (("Q", 4),) and type(answer[0][1]) is int,
    "which of the eleven tubs can still be sold",
)

ARTEFACT = AnswerTask(
    "artefact",
    "one of 'case', 'baseline', 'agent', 'check'",
    lambda answer: str(answer) == "case",
    "who wrote the number that everybody else disagrees with",
)

ATTEMPTED = AnswerTask(
    "attempted",
    "a set of names of checks",
    lambda answer: (
        set(answer) == {"allowed_operations", "no_tool_errors", "quantities", "grounded"}
    ),
    "`row['checks']`: each name whose value is False",
)

ESTABLISHES = AnswerTask(
    "establishes",
    "one of 'a', 'b', 'c', 'd'",
    lambda answer: str(answer).strip().lower() == "c",
    "what REVIEW_REQUIRED leaves to a person",
)


def _rows(*rows: tuple[str, int, int, int]) -> list[dict[str, Any]]:
    names = ("code", "on_shelf", "promised", "wanted")
    return [dict(zip(names, row, strict=True)) for row in rows]


DEFICITS = FunctionTask(
    "deficits",
    "a list of (code, missing) pairs",
    (
        Trial(_rows(("A1", 3, 0, 5)), [["A1", 2]], "the row in front of you"),
        Trial(_rows(("Z9", 3, 0, 5), ("Z8", 1, 0, 4)), [["Z9", 2], ["Z8", 3]], "other codes"),
        Trial([], [], "no rows at all"),
        Trial(_rows(("Z9", 6, 0, 6)), [], "a row exactly at what is wanted"),
        Trial(_rows(("Z9", 2, 5, 1)), [["Z9", 4]], "more promised than there is"),
        Trial(_rows(("Z9", 9, 0, 1)), [], "more than is wanted"),
    ),
    in_any_order=False,
)

TASKS = (BASELINE, RESERVATION, ARTEFACT, ATTEMPTED, ESTABLISHES, DEFICITS)
