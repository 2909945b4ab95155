"""The harness: supply an input, run the candidate, grade what was observed, keep everything."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from lab import baselines
from lab.attempt import Record, no_record, run_attempt
from lab.baselines import NOT_RUN, Baseline, run_baseline
from lab.cases import CASES, Case
from lab.errors import InputError
from lab.evidence import Report
from lab.execution import carry, concurrency
from lab.grading import CHECKS, Check, Criteria, Observation, Row, grade, with_completed
from lab.journal import Journal, Past, now
from lab.ledger import Ledger
from lab.plan import Plan, listed
from lab.report import build_report
from lab.shop.database import Database
from lab.shop.loop import Limits
from lab.shop.models import Model
from lab.shop.skills import Skill
from lab.shop.tools import Dispatcher, shop_dispatcher
from lab.shop.transcript import observations, requests
from lab.watch import Watch

Progress = Callable[[int, int, Row], None]
"""Called with (attempts done, attempts planned, the row just finished)."""


def evaluate(
    model_factory: Callable[[], Model],
    *,
    cases: Iterable[Case] = CASES,
    skill: Skill | None = None,
    skills: Iterable[Skill] = (),
    repeats: int = 1,
    limits: Limits | None = None,
    baseline: Baseline = baselines.baseline,
    checks: Mapping[str, Check] = CHECKS,
    criteria: Criteria | None = None,
    dispatcher: Callable[[Database], Dispatcher] = shop_dispatcher,
    executor: Executor | None = None,
    journal: Journal | str | Path | None = None,
    ledger: Ledger | str | Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Run a candidate on every case, `repeats` times each, and return the report.

    `model_factory` is called once an attempt. `skill` is the candidate procedure; it takes the
    place of the one of its name among `skills`, the active ones. `baseline` gets each case with
    its expected answer emptied. `executor` carries the attempts elsewhere (any
    `concurrent.futures.Executor`), `journal` keeps them as they come. `ledger` remembers which
    cases this candidate has seen; each row says from it whether its case was held out. `completed`
    is always among the `checks`: what broke off has not passed.

    Interrupted (KeyboardInterrupt), it returns its report all the same, every unfinished attempt
    in it a failed NOT_RUN. ValueError where the evaluation could not mean anything: no cases, no
    checks, a name used twice, `repeats` outside 1..5.
    """
    plan = Plan(
        model_factory=model_factory,
        cases=listed("cases", cases, Case, "load_cases reads a file of them"),
        candidate=skill,
        active=listed("skills", skills, Skill, "one alone is [skill]"),
        repeats=repeats,
        limits=Limits() if limits is None else limits,
        baseline=baseline,
        checks=with_completed(checks) if checks and isinstance(checks, Mapping) else checks,
        criteria=criteria,
        dispatcher=dispatcher,
    )
    if isinstance(journal, str | Path):
        journal = Journal.create(journal)
    if not isinstance(executor, Executor | None):
        raise InputError("executor: give an Executor, such as ThreadPoolExecutor(4), or None")
    watch = Watch(ledger, {"": plan.frozen}, plan.cases)
    rows = run(plan, executor, journal, progress, watch.independence)
    report = build_report(plan, rows, concurrency(executor), watch.entry)
    watch.keep(report)
    return report


def run(
    plan: Plan,
    executor: Executor | None,
    journal: Journal | None,
    progress: Progress | None,
    independence: Callable[[str], dict[str, Any]],
) -> list[Row]:
    """Carry out every planned attempt and return a row for each, in the order of the plan.

    `independence` says of a case, by its name, whether it was held out.
    """

    def row(n: int, record: Record) -> Row:
        known = independence(plan.attempts[n][0].name)
        return make_row(plan, n, record, started.get(n), cuts.get(n, []), known)

    past = journal.begin(plan.fingerprint(), len(plan.attempts)) if journal else Past({}, {})
    rows, cuts = past.finished, past.interruptions
    started: dict[int, str] = {}
    tasks = {n: plan.task(case) for n, (case, _) in enumerate(plan.attempts) if n not in rows}
    try:
        for n, kept in rows.items():
            refuse_altered(plan, n, kept)
        for event, n, outcome in carry(run_attempt, tasks, executor):
            if event == "started":
                started[n] = now()
            elif event == "interrupted":
                cuts.setdefault(n, []).append({"started": started.pop(n), "noticed": now()})
            else:
                record = outcome if event == "finished" else no_record("CANDIDATE_ERROR", outcome)
                rows[n] = row(n, record)
            if journal:
                journal.note(event, n, rows.get(n))
            if progress and n in rows:
                progress(len(rows), len(plan.attempts), rows[n])
    except KeyboardInterrupt:
        pass  # the report says which attempts did not run
    finally:
        if journal:
            journal.close(complete=len(rows) == len(plan.attempts))
    return [
        rows[n] if n in rows else row(n, no_record("NOT_RUN", "the run was cut short"))
        for n in range(len(plan.attempts))
    ]


def refuse_altered(plan: Plan, attempt: int, kept: Row) -> None:
    """InputError where a row from a journal is not what the plan and its own transcript come to."""
    try:
        case, repetition = plan.attempts[attempt]
        checks = judge(observe(kept), plan.checks)[0]
        same = all(
            kept[name] == value
            for name, value in {
                "case": case.name,
                "repetition": repetition,
                "expected": [list(pair) for pair in case.expected],
                "checks": checks,
                "passed": all(checks.values()),
            }.items()
        )
    except (LookupError, TypeError, AttributeError, ValueError):
        same = False
    if not same:
        raise InputError(
            f"the journal's row of attempt {attempt} does not grade again as it did;"
            " it was altered, or a check is not repeatable: start a new run"
        )


def make_row(
    plan: Plan,
    attempt: int,
    record: Record,
    started: str | None,
    interruptions: list[dict[str, str]],
    independence: dict[str, Any],
) -> Row:
    """Bring together what was asked, what came of it and what is right, and have it judged."""
    case, repetition = plan.attempts[attempt]
    script = run_baseline(plan.baseline, case) if started else NOT_RUN
    spans = record["spans"]
    if spans["script"] is not None:
        spans = {**spans, "script": {**spans["script"], **script.span}}
    row = {
        "case": case.name,
        "split": case.split,
        "repetition": repetition,
        "passed": False,
        "checks": {},
        "check_errors": {},
        **record,
        "expected": [list(pair) for pair in case.expected],
        "observed": None,
        "baseline": dict(script.entry),
        "spans": spans,
        "started": started,
        "interruptions": interruptions,
        "resumed": False,
        "independence": independence,
    }
    seen = observe(row)
    row["observed"] = None if seen.drafted is None else [list(pair) for pair in seen.drafted]
    row["checks"], row["check_errors"] = judge(seen, plan.checks)
    row["passed"] = all(row["checks"].values())
    return row


def observe(row: Row) -> Observation:
    """Return what a check may look at, from a row alone, so that a kept one can be graded again.

    An attempt that did not complete and requested no draft has not answered "nothing to draft":
    what it drafted is unknown.
    """
    asked = list(requests(row["transcript"]))
    drafted = tuple(
        (request.arguments.get("sku"), request.arguments.get("quantity"))
        for request in asked
        if request.name == "draft_order"
    )
    baseline = row["baseline"]["drafts"]
    is_known = bool(drafted) or row["loop_status"] == "COMPLETED"
    return Observation(
        loop_status=row["loop_status"],
        answer=row["answer"],
        operations=tuple(request.name for request in asked),
        drafted=drafted if is_known else None,
        tool_results=tuple(result for _, result in observations(row["transcript"])),
        allowed=frozenset(row["allowed"]),
        orders=row["database"] and row["database"]["orders"],
        expected=tuple(map(tuple, row["expected"])),
        baseline=None if baseline is None else tuple(map(tuple, baseline)),
    )


def judge(seen: Observation, checks: Mapping[str, Check]) -> tuple[dict[str, bool], dict[str, str]]:
    """Grade an attempt; every check of one that did not run is False, since it saw nothing."""
    if seen.loop_status == "NOT_RUN":
        return dict.fromkeys(checks, False), {}
    return grade(seen, checks)


def regrade(report: Report, checks: Mapping[str, Check] = CHECKS) -> list[dict[str, Any]]:
    """Grade a report's transcripts again, without running anything; return what comes out other.

    Each difference is {case, repetition, check, kept, now}. `now` is None for a check of the
    report that is not among `checks`, so that nobody takes it for judged again; a check that the
    report does not have is left out. The report itself is left as it is.
    """
    return [
        {
            "case": row["case"],
            "repetition": row["repetition"],
            "check": name,
            "kept": kept,
            "now": now_judged.get(name),
        }
        for row in report["cases"]
        for now_judged in [judge(observe(row), checks)[0]]
        for name, kept in row["checks"].items()
        if now_judged.get(name) is not kept
    ]
