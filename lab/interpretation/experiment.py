"""The experiment: every candidate on every request, in turns, and one report of it all."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from lab import plain
from lab.attempt import describe
from lab.counts import request_counts
from lab.errors import InputError
from lab.evidence import Report
from lab.interpretation.attempt import MECHANISMS, Row, not_run, run_case
from lab.interpretation.candidates import OUTPUT_TOKENS, Infer
from lab.interpretation.cases import REQUEST_CASES, RequestCase
from lab.ledger import Ledger
from lab.plan import listed
from lab.provenance import identity, lab_digest, provenance
from lab.shapes import REQUESTS_SCHEMA
from lab.watch import Watch

MOST_REPEATS = 3
Progress = Callable[[int, int, Row], None]
"""Called with (attempts done, attempts planned, the row just finished)."""

SCOPE = (
    "Interpreting one request at a time with its catalogue at hand: report stock, draft, ask back"
    " or refuse. The arithmetic is done by the lab for every candidate. It says nothing of a"
    " conversation, of other wordings, or of a shop that is open."
)

BOUNDARIES = {
    "seconds": "making the candidate's input, interpretation, validation, response and grading, for"
    " every candidate alike; what a server does before it is asked is not in it",
}

LIMITS = [
    "The requests are few, written by people who know the candidates, and published: they are not"
    " a sample of anything, and a candidate may have been made with them in view.",
    "A draft that was not requested, or of another product, is noticed as an event, not as a wish"
    " in the reply.",
    "A candidate that runs in this process could reach into it.",
]

CAVEATS = [
    "This compares candidates; it accepts none. A person reads the attempts and decides.",
    "Repeats of one request are not new requests, and at temperature 0 hardly new attempts.",
    "A model's name does not freeze what runs behind it.",
    "A server's warm prompt cache makes later attempts faster.",
    "What it saves a person is not measured here: see the records of effort.",
]


def run_requests(
    candidates: Mapping[str, Infer],
    *,
    cases: Iterable[RequestCase] = REQUEST_CASES,
    repeats: int = 1,
    ledger: Ledger | str | Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Have every candidate interpret every request, `repeats` times each, and return the report.

    `candidates` gives each a name. Who comes first changes from one request, and one repetition,
    to the next; the rows stand in the order in which they were run. Nothing is retried or thrown
    away, a first attempt least of all. Interrupted (KeyboardInterrupt), it returns its report all
    the same, with what did not run in it as failed. `ledger` remembers which candidate has seen
    which requests; each row says from it whether its request was held out.

    ValueError where the experiment could not mean anything: no candidates, no cases, a case's name
    used twice, `repeats` outside 1..3.
    """
    asked = listed("cases", cases, RequestCase, "load_request_cases reads a file of them")
    _refuse_meaningless(candidates, asked, repeats)
    candidates = dict(candidates)
    told = {name: describe_candidate(name, infer) for name, infer in candidates.items()}
    watch = Watch(ledger, {n: partial(dict, each) for n, each in told.items()}, asked)
    plan = list(in_turns(tuple(candidates), asked, repeats))
    rows: list[Row] = []
    try:
        for case, repeat, name in plan:
            rows.append(run_case(case, name, candidates[name], repeat))
            if progress:
                progress(len(rows), len(plan), rows[-1])
    except KeyboardInterrupt:
        pass  # the report says which attempts did not run
    rows += [not_run(case, name, repeat) for case, repeat, name in plan[len(rows) :]]
    for row in rows:
        row["independence"] = watch.independence(row["case"], row["candidate"])
    report = build_report(told, asked, repeats, rows)
    report["provenance"]["ledger"] = watch.entry
    watch.keep(report)
    return report


def in_turns(
    names: tuple[str, ...], cases: tuple[RequestCase, ...], repeats: int
) -> Iterator[tuple[RequestCase, int, str]]:
    """Yield (case, repetition from 1, candidate), each time another candidate going first."""
    for number, case in enumerate(cases):
        for repeat in range(1, repeats + 1):
            first = (number + repeat - 1) % len(names)
            for name in names[first:] + names[:first]:
                yield case, repeat, name


def build_report(
    told: Mapping[str, dict[str, Any]],
    cases: tuple[RequestCase, ...],
    repeats: int,
    rows: list[Row],
) -> Report:
    """Put the rows together with what they add up to and what they are about."""
    return {
        "schema": REQUESTS_SCHEMA,
        "kind": "requests",
        "counts": request_counts(rows),
        "candidates": dict(told),
        "settings": {"repeats": repeats, "output_tokens": OUTPUT_TOKENS, "temperature": 0},
        "mechanisms": dict(MECHANISMS),
        "scope": SCOPE,
        "boundaries": dict(BOUNDARIES),
        "limits": list(LIMITS),
        "caveats": list(CAVEATS),
        "provenance": {
            **provenance(),
            "digests": {
                "cases": plain.digest([asdict(case) for case in cases]),
                "prompts": plain.digest({n: each["instruction"] for n, each in told.items()}),
                "source": lab_digest(),
            },
        },
        "cases": rows,
    }


def describe_candidate(name: str, infer: Infer) -> dict[str, Any]:
    """Return what a candidate is: its instruction and model if it has them, and its identity.

    InputError where that is not plain data, before anything is asked of it.
    """
    try:
        model = getattr(infer, "model", None)
        told = {
            "instruction": getattr(infer, "instruction", None),
            "constrained": getattr(infer, "constrained", False),
            "timeout": getattr(infer, "timeout", None),
            "model": None if model is None else describe(model),
            "sha256": plain.digest(identity(infer)),
        }
        return dict(plain.loads(plain.dumps(told)))
    except Exception as error:  # noqa: BLE001  (its attributes may do anything)
        why = plain.reason(error)
        raise InputError(f"candidates: {plain.show(name)}: cannot be described: {why}") from None


def _refuse_meaningless(
    candidates: Mapping[str, Infer], cases: tuple[RequestCase, ...], repeats: int
) -> None:
    if not isinstance(candidates, Mapping):
        raise InputError("candidates: give a dict of names and candidates")
    if not candidates:
        raise InputError("candidates: there are none, so nothing would be compared")
    for name, infer in candidates.items():
        if not isinstance(name, str) or not name or not callable(infer):
            raise InputError(
                f"candidates: {plain.show(name)}: give each a name and a function of the payload"
                " that returns (reply, output tokens)"
            )
    if not cases:
        raise InputError("cases: there are none, so nothing would be measured")
    name, uses = Counter(case.name for case in cases).most_common(1)[0]
    if uses > 1:
        raise InputError(f"cases: the name {name!r} is used {uses} times")
    if type(repeats) is not int or not 1 <= repeats <= MOST_REPEATS:
        raise InputError(f"repeats: {repeats!r} is not an integer from 1 to {MOST_REPEATS}")
