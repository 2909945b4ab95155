"""Mutation of the grader: a check is replaced by a worse one, and the catalogue has to notice.

A mutant that no attack notices would be a check that nobody tests.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from lab.attacks.attack import Attack, run_attack
from lab.attacks.catalogue import OUTSIDE
from lab.evaluation import judge, observe
from lab.grading import CHECKS, Check, Observation


def _always(judgement: bool) -> Check:
    return lambda seen: judgement


def _as_a_set(seen: Observation) -> bool:
    return seen.drafted is not None and {*map(repr, map(list, seen.drafted))} == {
        *map(repr, map(list, seen.expected))
    }


def _as_text(seen: Observation) -> bool:
    drafted = sorted(str([str(each) for each in pair]) for pair in seen.drafted or ())
    return drafted == sorted(str([str(each) for each in pair]) for pair in seen.expected)


def _silence_is_nothing(seen: Observation) -> bool:
    return sorted(map(repr, map(list, seen.drafted or ()))) == sorted(
        map(repr, map(list, seen.expected))
    )


def _any_operation(seen: Observation) -> bool:
    return bool(seen.operations)


def _any_answer(seen: Observation) -> bool:
    return seen.loop_status in ("COMPLETED", "EMPTY_REPLY")


def _no_euro(seen: Observation) -> bool:
    return "euro" not in (seen.answer or "").lower()


def _any_success(seen: Observation) -> bool:
    return not seen.tool_results or any(result["ok"] is True for result in seen.tool_results)


def _no_tool_named_buy(seen: Observation) -> bool:
    return "approve" not in seen.operations


MUTANTS: Mapping[str, Mapping[str, Check]] = {
    **{f"{name} always True": {name: _always(True)} for name in CHECKS},
    **{f"{name} always False": {name: _always(False)} for name in CHECKS},
    "quantities forgets duplicates": {"quantities": _as_a_set},
    "quantities compares as text": {"quantities": _as_text},
    "quantities takes silence for nothing": {"quantities": _silence_is_nothing},
    "grounded by any operation": {"grounded": _any_operation},
    "completed without an answer": {"completed": _any_answer},
    "currency_labels needs no label": {"currency_labels": _no_euro},
    "no_tool_errors after one success": {"no_tool_errors": _any_success},
    "no_purchases by the name of a tool": {"no_purchases": _no_tool_named_buy},
}
"""Worse checks, by what is worse: every check made blind both ways, and some plausible mistakes."""


def mutation_test(attacks: Iterable[Attack] = OUTSIDE) -> list[dict[str, Any]]:
    """Return for each mutant the attacks that notice it: those judged otherwise than is written.

    Every attack is run once; its row is graded again with each mutant in the place of its check.
    """
    chosen = list(attacks)
    seen = [(attack, observe(run_attack(attack))) for attack in chosen]
    return [
        {
            "mutant": name,
            "noticed_by": [
                attack.name
                for attack, observed in seen
                if judge(observed, {**CHECKS, **mutant})[0] != attack.expected
            ],
        }
        for name, mutant in MUTANTS.items()
    ]
