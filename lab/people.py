"""`lab review`, `calibrate` and `ledger`: what people do beside the instrument, and keep."""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from lab import choices, review_tables, terminal
from lab.calibration import Reviewer, calibrate, load_answers
from lab.chain import Head
from lab.classroom.books import held_before
from lab.classroom.decisions import load_decisions, without_effect
from lab.classroom.desk import check_class, pool
from lab.classroom.found import found_in, passed_over
from lab.classroom.holdouts import load_holdouts, save_holdouts
from lab.classroom.kept import everybody
from lab.classroom.rows import Row
from lab.classroom.rubric import load_rubric
from lab.classroom.samples import write_samples
from lab.classroom.verdicts import REVIEW
from lab.errors import InputError
from lab.evidence import Report, load_report, refuse_unwritable, save_report
from lab.ledger import Ledger
from lab.provenance import provenance
from lab.review import Review, state_in_words
from lab.review_desk import person_reviewer, review_at_terminal
from lab.reviewers import REVIEWERS, ModelReviewer
from lab.shop.http import HTTPModel


def run_review(options: argparse.Namespace) -> int:
    """`lab review`."""
    if options.reviewer is None or options.json:
        review = Review(options.report)
    else:
        review = review_at_terminal(options.report, options.reviewer)
    state = review.state()
    with terminal.unheard():
        if options.json:
            print(json.dumps({"report": review.digest, **state}))
        else:
            review_tables.show_state(review.report, state, review.path)
    return 0


def review_of(path: Path, report: Report) -> str:
    """Say in words how far the review of a saved report is."""
    if report.get("kind") == "requests":
        return "no answers in words, so there is nothing to review in it"
    return state_in_words(Review(path).state())


def run_calibrate(options: argparse.Namespace) -> int:
    """`lab calibrate`."""
    if options.output is not None:
        refuse_unwritable(options.output)
    answers = load_answers(options.answers)
    with ExitStack() as stack:
        reviewers, told = _reviewers(stack, options)
        found: dict[str, Any] = {n: calibrate(each, answers) for n, each in reviewers.items()}
    kept = {"kind": "calibration", "provenance": provenance(), "model": told, "reviewers": found}
    if options.output is not None:
        path, digest = save_report(options.output.parent, kept, name=options.output.name)
    with terminal.unheard():
        if options.json:
            print(json.dumps(kept))
        else:
            review_tables.show_calibration(found)
        if options.output is not None and not options.json:
            terminal.show_saved(path, digest)
    return 0


def _reviewers(
    stack: ExitStack, options: argparse.Namespace
) -> tuple[dict[str, Reviewer], dict[str, Any] | None]:
    if options.person:
        return {options.person: person_reviewer()}, None
    if not (options.live or options.url):
        return dict(REVIEWERS), None
    server = choices.server(stack, options)
    if not options.no_preflight:
        server = server.checked(lambda _: None)
    model = server()
    stack.callback(model.close)
    assert isinstance(model, HTTPModel)  # tools are what a constrained one is for: none here
    told = {"name": model.name, "environment": dict(model.environment)}
    return {**REVIEWERS, "model": ModelReviewer(model)}, told


def run_ledger(options: argparse.Namespace) -> int:
    """`lab ledger`."""
    ledger = Ledger(options.file)
    if options.move is not None:
        case = choices.any_case(options.cases, options.move)
        ledger.move(case, options.to or "", options.reason or "")
    elif not options.file.exists():
        raise InputError(f"{options.file}: there is no ledger; `lab evaluate --ledger` begins one")
    if options.report is not None:
        _refuse_foreign(ledger, options.report)
    with terminal.unheard():
        if options.json:
            print(json.dumps(ledger.entries()))
        else:
            review_tables.show_ledger(ledger.entries(), ledger.head())
    return 0


def run_classroom(options: argparse.Namespace) -> int:
    """`lab classroom check`, `holdouts new` and `samples`."""
    if options.action == "check":
        return _check_class(options)
    if options.action == "holdouts":
        save_holdouts(options.output, options.seed)
        print(f"{options.output}: read them before you use them, and show them to nobody")
        print("a row of stock is: sku, tubs on hand, reserved, threshold, unit price in pence")
        return 0
    print(f"{len(write_samples(options.output))} submissions are in {options.output}")
    return 0


def _check_class(options: argparse.Namespace) -> int:
    rubric = load_rubric(options.rubric)
    decisions = load_decisions(options.decisions)
    hidden = load_holdouts(options.holdouts) if options.holdouts else None
    if options.ledger and hidden is None:
        raise InputError("--ledger remembers hidden trials: give them, with --holdouts")
    before = held_before(options.output) if options.decisions is None else 0
    try:
        with pool(options.jobs) as executor:
            rows = check_class(
                options.output,
                found_in(options.paths),
                rubric,
                hidden,
                decisions=decisions,
                ledger=Ledger(options.ledger) if options.ledger else None,
                executor=executor,
                progress=terminal.Pace("submissions"),
            )
    except KeyboardInterrupt:
        print("lab: what was checked is kept; the same command goes on from there", file=sys.stderr)
        raise
    with terminal.unheard():
        for path in passed_over(options.paths):
            told = "is passed over, since a dot begins its name; rename what is a submission"
            print(terminal.printable(f"{path} {told}"))
        idle = without_effect(decisions, everybody(options.output), rubric)
        if idle:
            print(f"decisions without effect: {len(idle)}; the overview says which, and why")
        if before:
            told = "decisions held last time and were not given now: what they were on is undecided"
            print(f"{before} {told} again; give --decisions")
        _show_class(rows, options.output, hidden is not None)
    return 0


def _show_class(rows: Sequence[Row], desk: Path, is_hidden: bool) -> None:
    """Print whose parts could not be judged, and how many learners wait for a person."""
    for row in rows:
        parts = row.undecided().items()
        if told := [f"{name} {part.verdict}" for name, part in parts if part.verdict != REVIEW]:
            print(terminal.printable(f"{row.name}: {', '.join(told)}"))
    left = sum(bool(row.undecided()) for row in rows)
    print(f"{len(rows)} learners; {left} with parts that are left to you to decide")
    if not is_hidden:
        print("no hidden trials were given: PASS says that the public ones pass, and no more")
    print(f"the books are in {desk}; begin with {desk / 'overview.html'}")


def _refuse_foreign(ledger: Ledger, path: Path) -> None:
    told = load_report(path)["provenance"].get("ledger")
    if told is None:
        raise InputError(f"{path}: was made without a ledger")
    if not ledger.holds(Head(**told["head"])):
        raise InputError(
            f"{ledger.path}: is not the ledger that {path} was made with, or was rewritten since"
        )
