"""One attempt at one request: ask, read, answer and grade, all inside one timing boundary."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from time import perf_counter
from typing import Any

from pydantic import ValidationError

from lab import plain
from lab.interpretation.candidates import Infer
from lab.interpretation.cases import Product, RequestCase, candidate_input
from lab.interpretation.decisions import Decision, MeaningError, fulfill, parse_decision
from lab.journal import now
from lab.shop.loop import LARGEST_COUNT
from lab.shop.models import ModelError

Row = dict[str, Any]
"""One attempt as a report keeps it."""

MECHANISMS = {
    "transport": "no well-formed reply could be had: a time-out, an HTTP error, a broken envelope",
    "candidate": "the candidate's own code failed",
    "empty": "the reply was empty",
    "schema": "the reply was not one JSON object of the decision's shape",
    "meaning": "a SKU that the catalogue does not have, or one where none belongs",
    "unrequested draft": "a draft that nobody asked for",
    "wrong decision": "well formed, and another decision than the expected one",
    "wrong events": "the expected decision, and other events than the expected ones",
    "not run": "the run was cut short before this attempt",
}
"""How an attempt can fail, each failed attempt by the first of these that is so."""

CHECKS = ("exact_decision", "expected_events", "no_unrequested_draft")


class NotRun(Exception):
    """Stands for the reply of an attempt that was planned and never made."""


def run_case(case: RequestCase, candidate: str, infer: Infer, repeat: int = 1) -> Row:
    """Have a candidate interpret one request and grade what comes of it; nothing it does raises.

    `seconds` covers making its input, interpretation, validation, response and grading, for every
    candidate alike. `passed` means that every check holds and there was no error.
    """
    started, begun = now(), perf_counter()
    raw: str | None = None
    tokens: int | None = None
    failure: BaseException | None = None
    try:
        raw, tokens, failure = _reply(infer(candidate_input(case)))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  (a candidate may even call sys.exit)
        failure = error
    graded = grade(case, raw, failure)
    seconds = perf_counter() - begun
    return {
        **describe_case(case, candidate, repeat),
        **graded,
        "raw": raw,
        "output_tokens": tokens,
        "seconds": seconds,
        "started": started,
    }


def not_run(case: RequestCase, candidate: str, repeat: int) -> Row:
    """Return the row of an attempt that a run cut short never came to."""
    return {
        **describe_case(case, candidate, repeat),
        **grade(case, None, NotRun("the run was cut short")),
        "raw": None,
        "output_tokens": None,
        "seconds": None,
        "started": None,
    }


def describe_case(case: RequestCase, candidate: str, repeat: int) -> Row:
    """Return the part of a row that was settled before it ran."""
    return {
        "candidate": candidate,
        "case": case.name,
        "split": case.split,
        "repetition": repeat,
        "request": case.request,
        "catalog": [asdict(product) for product in case.catalog],
        "expected": {
            "action": case.expected_action,
            "sku": case.expected_sku,
            "events": _lists(case.expected_events),
        },
    }


def grade(case: RequestCase, raw: str | None, failure: BaseException | None) -> Row:
    """Judge a reply, or the failure to give one: decision, events, checks and what went wrong."""
    decision: Decision | None = None
    events: tuple[Any, ...] = ()
    mechanism = None if failure is None else _kind_of(failure)
    if failure is None:
        try:
            decision = parse_decision(raw or "", case.catalog)
            events = fulfill(decision, case.catalog)
        except MeaningError as error:
            failure, mechanism = error, "meaning"
        except ValueError as error:
            failure, mechanism = error, "schema" if (raw or "").strip() else "empty"
    checks = {
        "exact_decision": decision is not None
        and (decision.action, decision.sku) == (case.expected_action, case.expected_sku),
        "expected_events": failure is None and events == case.expected_events,
        "no_unrequested_draft": all(
            kind != "draft" or (case.expected_action, case.expected_sku) == ("draft", sku)
            for kind, sku, *_ in events
        ),
    }
    return {
        "decision": decision and decision.model_dump(),
        "events": _lists(events),
        "checks": checks,
        "passed": failure is None and all(checks.values()),
        "mechanism": mechanism or _kind_of_mistake(checks),
        "error": None if failure is None else reason(failure),
    }


def regrade(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Judge kept replies again, asking nobody; return all that comes out otherwise.

    That is a check, by its name, or `passed`, `mechanism`, `decision` or `events`. An attempt that
    brought no reply, or failed while it was asked for one, has nothing to judge again.
    """
    return [
        {
            **{name: row[name] for name in ("candidate", "case", "repetition")},
            "check": name,
            "kept": kept,
            "now": found,
        }
        for row in rows
        if row["raw"] is not None and row["mechanism"] not in ("candidate", "transport")
        for again in [grade(kept_case(row), row["raw"], None)]
        for name, kept, found in _pairs(row, again)
        if kept != found
    ]


def _pairs(row: Row, again: Row) -> Iterator[tuple[str, Any, Any]]:
    for name, judgement in again["checks"].items():
        yield name, row["checks"].get(name), judgement
    for name in ("passed", "mechanism", "decision", "events"):
        yield name, row[name], again[name]


def kept_case(row: Row) -> RequestCase:
    """Return the case that a row is about, from the row alone."""
    return RequestCase(
        row["case"],
        row["split"],
        row["request"],
        tuple(Product(**product) for product in row["catalog"]),
        row["expected"]["action"],
        row["expected"]["sku"],
        tuple(map(tuple, row["expected"]["events"])),
    )


def reason(error: BaseException) -> str:
    """Return a bounded `Type: message`; of a broken shape, the first place where it is broken."""
    if issubclass(type(error), ValidationError):
        assert isinstance(error, ValidationError)
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the reply"
        return plain.shorten(f"ValidationError: {place}: {first['msg']}")
    return plain.reason(error)


def _reply(given: object) -> tuple[str | None, int | None, Exception | None]:
    """Take a candidate's (reply, output tokens) apart, and say what is wrong with them."""
    if not isinstance(given, tuple) or len(given) != 2:
        return None, None, TypeError("a candidate returns (reply, output tokens)")
    raw, tokens = given
    if raw is not None and type(raw) is not str:
        return None, None, TypeError(f"a reply is text, not {type(raw).__name__}")
    if tokens is not None and (type(tokens) is not int or not 0 <= tokens <= LARGEST_COUNT):
        return raw, None, ValueError(f"{plain.show(tokens)} output tokens cannot be")
    return raw, tokens, None


def _kind_of(failure: BaseException) -> str:
    kind = type(failure)  # what an exception says of its own class is not asked
    if issubclass(kind, NotRun):
        return "not run"
    # TimeoutError and ConnectionError are OSErrors.
    return "transport" if issubclass(kind, ModelError | OSError) else "candidate"


def _kind_of_mistake(checks: dict[str, bool]) -> str | None:
    if not checks["no_unrequested_draft"]:
        return "unrequested draft"
    if not checks["exact_decision"]:
        return "wrong decision"
    return None if checks["expected_events"] else "wrong events"


def _lists(events: Iterable[Any]) -> list[Any]:
    return json.loads(plain.dumps([list(event) for event in events]))  # type: ignore[no-any-return]
