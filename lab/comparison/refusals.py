"""What keeps two reports from being compared: other cases, checks, boundaries or repetitions."""

from collections.abc import Collection, Sequence
from typing import Any

from lab import plain
from lab.comparison.differences import around
from lab.comparison.sides import is_requests, listed
from lab.errors import InputError
from lab.evidence import Report

KEPT = ("split", "expected", "request", "catalog")
"""What a row keeps of its case. The digest of the cases covers that, and what no row keeps."""

Pair = tuple[Report, Report]
Sources = tuple[str, str]


def refuse_unlike(reports: Pair, sources: Sources) -> None:
    """Raise InputError, with both values and what to do, where a pair would mean nothing."""
    for look in (_kinds, _cases, _checks, _boundaries, _repetitions):
        look(reports, sources)


def _kinds(reports: Pair, sources: Sources) -> None:
    found = [is_requests(report) for report in reports]
    if found[0] != found[1]:
        told = ["has requests" if each else "is an evaluation" for each in found]
        _refuse("kinds", sources, told, "compare two reports of one kind")


def _cases(reports: Pair, sources: Sources) -> None:
    digests = _digests(reports, sources, "cases")
    kept = [_kept(report) for report in reports]
    if digests[0] == digests[1] and kept[0] == kept[1]:
        return
    changed = [case for case in kept[0] if case in kept[1] and kept[0][case] != kept[1][case]]
    _refuse(
        "cases",
        sources,
        _collections(kept, digests),
        f"of one name with another split, request or answer: {listed(changed)}; what is asked, the"
        " stock and the order count too; run both on the same cases with one version of the lab",
    )


def _kept(report: Report) -> dict[str, set[str]]:
    """Return by the name of each case what its rows keep of it, which is one thing, or altered."""
    found: dict[str, set[str]] = {}
    for row in report["cases"]:
        told = plain.dumps([row.get(name) for name in KEPT])
        found.setdefault(row["case"], set()).add(told)
    return found


def _checks(reports: Pair, sources: Sources) -> None:
    """Compare an evaluation's checks. Those of requests are the lab's own: a caveat says so."""
    if is_requests(reports[0]):
        return
    digests = _digests(reports, sources, "checks")
    names = [
        dict.fromkeys(name for row in report["cases"] for name in row["checks"])
        for report in reports
    ]
    if digests[0] != digests[1] or names[0].keys() != names[1].keys():
        _refuse(
            "checks",
            sources,
            _collections(names, digests),
            "one name may have another source; run both with the same checks and one version of the"
            " lab",
        )


def _boundaries(reports: Pair, sources: Sources) -> None:
    found: list[dict[str, Any]] = [report.get("boundaries", {}) for report in reports]
    for name in {**found[0], **found[1]}:
        told = [str(boundaries.get(name, "not stated")) for boundaries in found]
        if told[0] != told[1]:
            _refuse(
                f"measurement boundaries of {plain.show(name)}",
                sources,
                [f"has {plain.show(text)}" for text in around(*told)],
                "the seconds are not of the same thing; run both with one version of the lab",
            )


def _repetitions(reports: Pair, sources: Sources) -> None:
    found = [report["settings"]["repeats"] for report in reports]
    if found[0] != found[1]:
        told = [f"has {repeats} of each case" for repeats in found]
        _refuse("repetitions", sources, told, "run both with the same --repeats")


def _digests(reports: Pair, sources: Sources, name: str) -> list[str]:
    found = [report["provenance"].get("digests", {}).get(name) for report in reports]
    for digest, source in zip(found, sources, strict=True):
        if not isinstance(digest, str):
            raise InputError(
                f"comparison: {source} has no digest of its {name} (provenance.digests.{name}), so"
                " nobody can tell whether they are the same; run that candidate again"
            )
    return found


def _collections(found: Sequence[Collection[str]], digests: Sequence[str]) -> list[str]:
    """Say of both how many names there are, their digest, and which the other has not."""
    alone = [
        listed(name for name in mine if name not in other)
        for mine, other in zip(found, reversed(found), strict=True)
    ]
    return [
        f"has {len(names)} (digest {digest[:12]}, only there: {only})"
        for names, digest, only in zip(found, digests, alone, strict=True)
    ]


def _refuse(what: str, sources: Sources, told: Sequence[str], then: str) -> None:
    raise InputError(
        f"comparison: the {what} differ: {sources[0]} {told[0]}; {sources[1]} {told[1]}; {then}"
    )
