"""A person at the desk: reads a request, enters, corrects and approves, while the clock runs."""

from collections.abc import Callable
from pathlib import Path

from lab.effort import Entry, Way, recording
from lab.errors import InputError
from lab.interpretation.candidates import Infer
from lab.interpretation.cases import ACTIONS, RequestCase, candidate_input
from lab.interpretation.decisions import Decision, form_decision, fulfill, parse_decision

Ask = Callable[[str], str]
Tell = Callable[[str], None]


def work_on(
    path: Path,
    case: RequestCase,
    way: Way,
    *,
    person: str,
    propose: Infer | None,
    ask: Ask = input,
    tell: Tell = print,
) -> None:
    """Have a person settle one request and record the effort.

    `propose` is whoever makes the first proposal, None where the person enters all of it. The
    clock runs from showing the request to the approval, the proposal included. Whether the
    decision was right is not told.
    """
    with recording(path, case, way, person=person) as entry:
        tell(f"\nLucy: {case.request}")
        names = ", ".join(f"{p.name} ({p.sku})" for p in case.catalog)
        tell(f"The catalogue: {names or 'empty'}")
        decision = _proposal(case, propose, tell) if propose else None
        decision = decision or _entered(case, entry, ask, tell)
        while not _is_approved(case, decision, ask, tell):
            entry.correct()
            decision = _entered(case, entry, ask, tell)
        entry.approve(decision)


def _proposal(case: RequestCase, propose: Infer, tell: Tell) -> Decision | None:
    try:
        return parse_decision(propose(candidate_input(case))[0], case.catalog)
    except Exception as error:  # noqa: BLE001  (whatever a candidate does, the person goes on)
        tell(f"There is no usable proposal ({type(error).__name__}); enter the decision yourself.")
        return None


def _entered(case: RequestCase, entry: Entry, ask: Ask, tell: Tell) -> Decision:
    while True:
        action = ask(f"action ({', '.join(ACTIONS)}): ").strip()
        product = ask("product (empty for none): ").strip()
        try:
            return form_decision(action, product, case.catalog)
        except InputError as error:
            entry.correct()
            tell(str(error))


def _is_approved(case: RequestCase, decision: Decision, ask: Ask, tell: Tell) -> bool:
    tell(f"Decision: {decision.action} {decision.sku or ''}".rstrip())
    for kind, sku, quantity, total in fulfill(decision, case.catalog):
        tell(f"  {kind} {sku}, {quantity} tubs" + (f", {total} pence GBP" if total else ""))
    return ask("Enter to approve, anything else to correct: ").strip() == ""
