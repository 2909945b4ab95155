"""What a report has to look like, and what its attempts have to add up to."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lab import plain
from lab.counts import baseline_totals, counts, request_counts, totals

SCHEMA = 3
REQUESTS_SCHEMA = 1


class Shape(BaseModel):
    """Plain data with these fields, of exactly these types; more fields are left alone."""

    model_config = ConfigDict(strict=True, extra="allow")


def check_report(report: Any) -> None:
    """Raise ValueError, naming the place, where this is no report, or contradicts itself."""
    is_requests = isinstance(report, dict) and report.get("kind") == "requests"
    try:
        (_RequestReport if is_requests else _Report).model_validate(report)
    except ValidationError as error:
        raise ValueError(_first(error, "the report")) from None
    for problem in (_request_contradictions if is_requests else _contradictions)(report):
        raise ValueError(f"{problem}: it was changed after it was saved, or badly made")


def check_row(row: object) -> None:
    """Raise ValueError, naming the field, where this is not an attempt as a report keeps it."""
    try:
        _Row.model_validate(row)
    except ValidationError as error:
        raise ValueError(_first(error, "row")) from None


def check_entry(entry: Any, kinds: Mapping[str, type[Shape]]) -> None:
    """Raise ValueError, naming the field, where an entry is not as its `kind` has to be."""
    if entry["kind"] not in kinds:
        raise ValueError(f"{plain.show(entry['kind'])} is not one of {', '.join(kinds)}")
    try:
        kinds[entry["kind"]].model_validate(entry)
    except ValidationError as error:
        raise ValueError(_first(error, entry["kind"])) from None


def _first(error: ValidationError, whole: str) -> str:
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or whole}: {first['msg']}"


class _Baseline(Shape):
    drafts: list[list[Any]] | None
    error: str | None
    seconds: float | None
    model_calls: int | None


Stages = dict[Literal["acquire", "decide", "deliver"], float | None]


class _Spans(Shape):
    agent: Stages | None
    script: Stages | None


class _Message(Shape):
    role: str
    content: str


class _Row(Shape):
    model: dict[str, Any]
    case: str
    split: str
    repetition: int
    checks: dict[str, bool]
    check_errors: dict[str, str]
    passed: bool
    loop_status: str
    started: str | None
    error: str | None
    seconds: float | None
    model_calls: int | None
    tool_calls: int | None
    output_tokens: int | None
    estimated_cost_pence: int | None
    expected: list[list[Any]]
    observed: list[list[Any]] | None
    baseline: _Baseline
    spans: _Spans
    transcript: list[_Message]
    allowed: list[str]
    database: dict[str, int] | None
    answer: str | None


class _Acceptance(Shape):
    status: str
    ungraded: list[str] = Field(min_length=1)  # what no check looked at never goes unsaid
    meaning: str


class _Settings(Shape):
    repeats: int = Field(ge=1)


class _Report(Shape):
    schema_: int = Field(alias="schema")
    acceptance: _Acceptance
    passed: bool
    cases: list[_Row]
    counts: dict[str, Any]
    totals: dict[str, Any]
    baseline_totals: dict[str, Any]
    settings: _Settings
    skills: list[dict[str, Any]]
    candidate: dict[str, Any] | None
    criteria: dict[str, Any] | None
    scope: str
    limits: list[str]
    caveats: list[str]
    provenance: dict[str, Any]


class _RequestChecks(Shape):
    exact_decision: bool
    expected_events: bool
    no_unrequested_draft: bool


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Product(_Strict):
    sku: str
    name: str
    on_hand: int = Field(ge=0)
    reserved: int = Field(ge=0)
    target: int = Field(ge=0)
    unit_pence: int = Field(ge=0)


class _Decision(_Strict):
    action: str
    sku: str | None


class _Expected(_Decision):
    events: list[list[Any]]


class _RequestRow(Shape):
    candidate: str
    case: str
    split: str
    repetition: int
    request: str
    catalog: list[_Product]
    expected: _Expected
    raw: str | None
    decision: _Decision | None
    events: list[list[Any]]
    checks: _RequestChecks
    passed: bool
    mechanism: str | None
    error: str | None
    seconds: float | None = Field(ge=0)
    output_tokens: int | None = Field(ge=0)
    started: str | None


class _RequestReport(Shape):
    schema_: int = Field(alias="schema")
    cases: list[_RequestRow] = Field(min_length=1)
    counts: dict[str, Any]
    candidates: dict[str, dict[str, Any]]
    settings: _Settings
    mechanisms: dict[str, str]
    scope: str
    boundaries: dict[str, str]
    limits: list[str]
    caveats: list[str]
    provenance: dict[str, Any]


def _request_contradictions(report: dict[str, Any]) -> Iterator[str]:
    """Yield each judgement or count that the attempts themselves contradict."""
    for number, row in enumerate(report["cases"]):
        passed = bool(row["checks"]) and all(row["checks"].values()) and row["error"] is None
        if row["passed"] is not passed:
            yield f"cases.{number}.passed is {row['passed']}, its checks and error say {passed}"
        if (row["mechanism"] is None) is not passed:
            yield f"cases.{number}.mechanism is {row['mechanism']}, passed is {passed}"
        if row["mechanism"] not in {None, *report["mechanisms"]}:
            yield f"cases.{number}.mechanism is {row['mechanism']}, which is none of them"
        if passed and (row["raw"] is None or row["decision"] is None):
            yield f"cases.{number}.passed is True without a reply"
    yield from _missing(
        [(row["candidate"], row["case"], row["repetition"]) for row in report["cases"]],
        [[*report["candidates"]], _distinct(report, "case"), _repetitions(report)],
    )
    yield from _differences("schema", report["schema"], REQUESTS_SCHEMA)
    yield from _differences("counts", report["counts"], request_counts(report["cases"]))


def _contradictions(report: dict[str, Any]) -> Iterator[str]:
    """Yield each verdict, count or total that the attempts themselves contradict."""
    rows = report["cases"]
    for number, row in enumerate(rows):
        passed = bool(row["checks"]) and all(row["checks"].values())
        if row["passed"] is not passed:
            yield f"cases.{number}.passed is {row['passed']}, its checks say {passed}"
    yield from _missing(
        [(row["case"], row["repetition"]) for row in rows],
        [_distinct(report, "case"), _repetitions(report)],
    )
    counted = counts(rows)
    everything = counted["passed"] == counted["attempts"] > 0
    status = "REVIEW_REQUIRED" if everything else "REJECTED"
    for name, stated, real in (
        ("schema", report["schema"], SCHEMA),
        ("passed", report["passed"], everything),
        ("acceptance.status", report["acceptance"]["status"], status),
        ("counts", report["counts"], counted),
        ("totals", report["totals"], totals(rows)),
        ("baseline_totals", report["baseline_totals"], baseline_totals(rows)),
    ):
        yield from _differences(name, stated, real)


def _missing(made: list[Any], planned: list[Sequence[Any]]) -> Iterator[str]:
    """Yield each attempt of the plan that is not there, or is there twice or unplanned."""
    counted = Counter(made)
    for attempt in product(*planned):
        if counted.pop(attempt, 0) != 1:
            yield f"attempt {' '.join(map(str, attempt))} is not there once"
    for attempt in counted:
        yield f"attempt {' '.join(map(str, attempt))} was not planned"


def _distinct(report: dict[str, Any], name: str) -> list[Any]:
    return list(dict.fromkeys(row[name] for row in report["cases"]))


def _repetitions(report: dict[str, Any]) -> range:
    """Return the planned repetitions, but no more than it takes to show that one is missing."""
    most = len(report["cases"]) + 1
    return range(1, min(report["settings"]["repeats"], most) + 1)


def _differences(place: str, stated: Any, real: Any) -> Iterator[str]:
    if isinstance(stated, dict) and isinstance(real, dict):
        for name in {**real, **stated}:
            yield from _differences(f"{place}.{name}", stated.get(name), real.get(name))
    elif type(stated) is not type(real) or not (stated == real or _is_near(stated, real)):
        yield f"{place} is {plain.shorten(str(stated))}, the attempts say {real}"


def _is_near(stated: Any, real: Any) -> bool:
    # Another Python may have added the same seconds up to another last digit.
    return isinstance(real, float) and math.isclose(stated, real)
