"""One run, as a ledger follows it: begun before the first attempt, noted when it is reported."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab.errors import InputError
from lab.evidence import Report, report_digest
from lab.ledger import Ledger, without_ledger


class Watch:
    """Freezes the candidates of a run that are not frozen yet, and notes what they will see.

    `candidates` gives, by name, what says all that makes one what it is. Without a ledger nothing
    is kept, and only what is published is known.
    """

    def __init__(
        self,
        ledger: Ledger | str | Path | None,
        candidates: Mapping[str, Callable[[], Mapping[str, Any]]],
        cases: Iterable[Any],
    ) -> None:
        if not isinstance(ledger, Ledger | str | Path | None):
            raise InputError("ledger: give a Ledger, or the path of its file")
        self._ledger = Ledger(ledger) if isinstance(ledger, str | Path) else ledger
        self._cases = list(cases)
        self.entry: dict[str, Any] | None = None
        if self._ledger is None:
            known = {case.name: without_ledger(case) for case in self._cases}
            self._answers = dict.fromkeys(candidates, known)
            return
        frozen = {n: self._ledger.freeze(parts(), name=n) for n, parts in candidates.items()}
        self._answers = {n: self._ledger.begin(each, self._cases) for n, each in frozen.items()}
        self.entry = {"candidates": frozen, "head": self._ledger.head()._asdict()}

    def independence(self, case: str, candidate: str = "") -> dict[str, Any]:
        """Say as a row keeps it whether a case was held out for a candidate, and why not."""
        return asdict(self._answers[candidate][case])

    def keep(self, report: Report) -> None:
        """Note the finished report by the digest that it will have when it is saved as it is."""
        if self._ledger is not None and self.entry is not None:
            digests = self.entry["candidates"].values()
            self._ledger.report(digests, self._cases, report_digest(report))
