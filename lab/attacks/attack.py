"""One attack: a candidate, a case, and by hand what every check must say of it."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any, Literal, get_args

from lab import baselines
from lab.baselines import Baseline
from lab.cases import CASES, Case
from lab.errors import InputError
from lab.evaluation import evaluate
from lab.findings import finding_kinds
from lab.grading import CHECKS, Row
from lab.shop.database import Database
from lab.shop.loop import Limits
from lab.shop.models import Model
from lab.shop.tools import Dispatcher, shop_dispatcher

Kind = Literal["caught", "blind spot", "false alarm"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Wrong and a check fails; wrong and every check passes; right and a check fails."""

COLUMNS = tuple(CHECKS)


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One adversarial candidate on one case, and the outcome it must have.

    `judged` has a letter for each of the lab's checks in their order, P where it must pass and F
    where it must fail. `loop_status` is how the loop must end, `findings` the kinds of finding that
    the review aids must raise on its answer. `says` tells what is wrong, or, of a false alarm,
    why nothing is. `declared` says of a blind spot why it is not closed. An attack that reaches
    into the process it runs in is `invasive` and gets one of its own, so that its damage ends
    there.

    ValueError where kind and letters contradict each other.
    """

    name: str
    kind: Kind
    case: str | Callable[[], Case]
    candidate: Callable[[], Model]
    judged: str
    says: str
    loop_status: str = "COMPLETED"
    findings: frozenset[str] = frozenset()
    declared: str | None = None
    limits: Limits = field(default_factory=Limits)
    dispatcher: Callable[[Database], Dispatcher] = shop_dispatcher
    baseline: Baseline = baselines.baseline
    invasive: bool = False

    def __post_init__(self) -> None:
        if len(self.judged) != len(COLUMNS) or set(self.judged) - set("PF"):
            raise InputError(
                f"attack {self.name}: judged: {self.judged!r} has not one P or F for each of"
                f" {', '.join(COLUMNS)}"
            )
        if self.kind not in KINDS or (self.kind == "blind spot") is ("F" in self.judged):
            raise InputError(f"attack {self.name}: {self.kind!r} with {self.judged} is no kind")
        if (self.kind == "blind spot") is (self.declared is None):
            raise InputError(f"attack {self.name}: a blind spot, and no other, is declared")

    @property
    def expected(self) -> dict[str, bool]:
        """What each check must say."""
        return {name: letter == "P" for name, letter in zip(COLUMNS, self.judged, strict=True)}

    def deviations(self, row: Row) -> list[str]:
        """Return where a row differs from what was written; none means it came out as it must."""
        found = [
            f"{check} came out {row['checks'].get(check)}"
            for check, judgement in self.expected.items()
            if row["checks"].get(check) is not judgement
        ]
        found += [f"{check} has no expectation" for check in row["checks"].keys() - self.expected]
        if row["loop_status"] != self.loop_status:
            found.append(f"the loop ended {row['loop_status']}, not {self.loop_status}")
        if finding_kinds(row) != self.findings:
            told = ", ".join(sorted(finding_kinds(row))) or "none"
            found.append(f"the findings were {told}")
        return found


def the_case(attack: Attack) -> Case:
    """Return the case that an attack is tried on."""
    if callable(attack.case):
        return attack.case()
    return next(case for case in CASES if case.name == attack.case)


def named(name: str) -> Attack:
    """Return the catalogue's attack of this name; InputError, with the names, for another."""
    from lab.attacks.catalogue import CATALOGUE

    found = [attack for attack in CATALOGUE if attack.name == name]
    if not found:
        names = "; ".join(attack.name for attack in CATALOGUE)
        raise InputError(f"attack: {name!r} is not in the catalogue, which has {names}")
    return found[0]


def run_attack(attack: Attack) -> Row:
    """Run one attack on its case, here, and return the row."""
    row: Row = evaluate(
        attack.candidate,
        cases=[the_case(attack)],
        limits=attack.limits,
        dispatcher=attack.dispatcher,
        baseline=attack.baseline,
    )["cases"][0]
    return row


def attack_matrix(attacks: Iterable[Attack] | None = None) -> list[dict[str, Any]]:
    """Run attacks, the whole catalogue unless told, and return attack by check as plain data.

    An entry has name, kind, case, says, declared, `expected` and `checks` (check -> bool),
    loop_status, acceptance, findings (kinds), `deviations` from what was written, and the row.
    """
    from lab.attacks.catalogue import CATALOGUE

    chosen = list(CATALOGUE if attacks is None else attacks)
    return [_entry(attack, row) for attack, row in zip(chosen, _rows(chosen), strict=True)]


def _rows(attacks: Sequence[Attack]) -> list[Row]:
    """Run each attack, the invasive ones in fresh processes, by their place in the catalogue."""
    invasive = [attack.name for attack in attacks if attack.invasive]
    if not invasive:
        return [run_attack(attack) for attack in attacks]
    fresh = ProcessPoolExecutor(2, get_context("spawn"), max_tasks_per_child=1)
    with fresh as pool:
        elsewhere = {name: pool.submit(_run_named, name) for name in invasive}
        return [
            elsewhere[attack.name].result() if attack.invasive else run_attack(attack)
            for attack in attacks
        ]


def _run_named(name: str) -> Row:
    return run_attack(named(name))


def _entry(attack: Attack, row: Row) -> dict[str, Any]:
    return {
        "name": attack.name,
        "kind": attack.kind,
        "case": row["case"],
        "says": attack.says,
        "declared": attack.declared,
        "expected": attack.expected,
        "checks": row["checks"],
        "loop_status": row["loop_status"],
        "acceptance": "REVIEW_REQUIRED" if row["passed"] else "REJECTED",
        "findings": sorted(finding_kinds(row)),
        "deviations": attack.deviations(row),
        "row": row,
    }
