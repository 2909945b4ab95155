from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab import (
    CASES,
    OPENING_PROCEDURE,
    Case,
    GuidedFixture,
    Limits,
    OfflineShopModel,
    evaluate,
    rates,
)
from lab.chain import Head
from lab.errors import InputError, LabError
from lab.evidence import load_report, save_report
from lab.interpretation import REQUEST_CASES, Product, RequestCase, keywords, run_requests
from lab.ledger import Independence, Ledger, identify

FRESH = Case("fresh", "held-out", (("R", 1, 0, 7, 60),), (("R", 6),))
KIWI = (Product("K", "kiwi", 4, 0, 9, 90),)
ASKED = RequestCase("asked", "held-out", "Report kiwi.", KIWI, "stock", "K", ())


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.jsonl")


def kinds(ledger: Ledger) -> list[str]:
    return [entry["kind"] for entry in ledger.entries()]


def of(report: Any, case: str = "fresh") -> dict[str, Any]:
    found: dict[str, Any] = next(r for r in report["cases"] if r["case"] == case)["independence"]
    return found


def test_a_case_that_nobody_observed_is_held_out(ledger: Ledger) -> None:
    report = evaluate(OfflineShopModel, cases=[FRESH], ledger=ledger)
    assert of(report) == {
        "held_out": True,
        "why": "nobody observed it before the candidate was frozen",
    }
    assert kinds(ledger) == ["freeze", "observe", "report"]
    again = evaluate(OfflineShopModel, cases=[FRESH], ledger=ledger)
    assert of(again)["held_out"] is True  # what it saw since it was frozen taught it nothing
    assert kinds(ledger) == ["freeze", "observe", "report", "observe", "report"]


def test_whoever_is_frozen_afterwards_may_have_learned_from_it(ledger: Ledger) -> None:
    evaluate(OfflineShopModel, cases=[FRESH], ledger=ledger)
    report = evaluate(GuidedFixture, cases=[FRESH], ledger=ledger)
    assert of(report)["held_out"] is False
    assert of(report)["why"].startswith("another candidate (")


def test_two_that_were_frozen_first_are_both_held_out(ledger: Ledger) -> None:
    first = ledger.freeze({"revision": 1})
    second = ledger.freeze({"revision": 2})
    for candidate in (first, second):
        assert ledger.begin(candidate, [FRESH])["fresh"].held_out is True


def test_a_revision_learned_from_what_its_ancestor_saw(ledger: Ledger) -> None:
    first = ledger.freeze({"revision": 1})
    ledger.begin(first, [FRESH])
    second = ledger.freeze({"revision": 2}, parent=first)
    third = ledger.freeze({"revision": 3}, parent=second)
    found = ledger.independence(FRESH, third)
    assert found.held_out is False
    assert found.why.startswith(f"a revision that this candidate was made from ({first[:12]})")


def test_another_name_split_or_answer_does_not_make_it_another_case(ledger: Ledger) -> None:
    evaluate(OfflineShopModel, cases=[replace(FRESH, split="development")], ledger=ledger)
    candidate = ledger.freeze({"revision": 2})
    disguised = replace(FRESH, name="never_seen", expected=(("R", 5),))
    assert ledger.independence(disguised, candidate).held_out is False
    other = replace(FRESH, stock=(("R", 2, 0, 7, 60),))
    assert ledger.independence(other, candidate).held_out is True


def test_the_shipped_held_out_pair_is_reported_as_published(ledger: Ledger) -> None:
    report = evaluate(OfflineShopModel, cases=CASES[-2:], ledger=ledger)
    for name in ("zero_threshold", "larger_reservation"):
        assert of(report, name) == {
            "held_out": False,
            "why": "published with the lab: anybody may have seen it",
        }
    copied = replace(REQUEST_CASES[0], name="copied", split="held-out")
    assert ledger.independence(copied, ledger.freeze({"a": 1})).why.startswith("published")


def test_without_a_ledger_nobody_knows(ledger: Ledger) -> None:
    report = evaluate(OfflineShopModel, cases=[FRESH, *CASES[:1]])
    assert of(report) == {
        "held_out": None,
        "why": "no ledger was kept, so nobody knows who has seen it",
    }
    assert of(report, "opening")["held_out"] is False
    assert report["provenance"]["ledger"] is None
    assert list(rates.rates(report["cases"])["by_split"]) == ["held-out (no ledger)", "development"]


def test_a_score_from_spent_cases_is_labelled(ledger: Ledger) -> None:
    other = replace(FRESH, name="other", stock=(("R", 2, 0, 7, 60),), expected=(("R", 5),))
    evaluate(OfflineShopModel, cases=[FRESH], ledger=ledger)
    report = evaluate(GuidedFixture, cases=[FRESH, other], ledger=ledger)
    assert list(rates.rates(report["cases"])["by_split"]) == ["held-out (1 of 2 spent)"]
    fresh = evaluate(OfflineShopModel, cases=[other], ledger=ledger)
    assert list(rates.rates(fresh["cases"])["by_split"]) == ["held-out"]


def test_a_move_keeps_the_reason_and_the_old_reports(ledger: Ledger, tmp_path: Path) -> None:
    report = evaluate(GuidedFixture, skill=OPENING_PROCEDURE, cases=[FRESH], ledger=ledger)
    _, digest = save_report(tmp_path / "reports", report)
    ledger.move(FRESH, "regression", "it failed, and the procedure is revised for it")
    moved = ledger.entries()[-1]
    assert (moved["from"], moved["to"]) == ("held-out", "regression")
    assert moved["reports"] == [digest]
    candidate = ledger.freeze({"revision": 2})
    assert ledger.independence(FRESH, candidate) == Independence(
        False,
        "it belongs to regression since it was moved:"
        " it failed, and the procedure is revised for it",
    )
    with pytest.raises(InputError, match="it belongs to regression already"):
        ledger.move(FRESH, "regression", "again")
    with pytest.raises(InputError, match="move fresh: reason: say it in words"):
        ledger.move(FRESH, "development", " ")


def test_the_report_and_the_ledger_know_each_other(ledger: Ledger, tmp_path: Path) -> None:
    report = evaluate(OfflineShopModel, cases=[FRESH], ledger=ledger)
    path, digest = save_report(tmp_path / "reports", report)
    assert ledger.entries()[-1]["report"] == digest
    told = load_report(path)["provenance"]["ledger"]
    assert told["candidates"] == {"": ledger.entries()[0]["candidate"]}
    assert ledger.holds(Head(**told["head"]))


def test_it_is_noted_before_the_first_attempt(ledger: Ledger) -> None:
    def stops(*_: Any) -> None:
        raise RuntimeError("the machine lost its power")

    with pytest.raises(RuntimeError):
        evaluate(OfflineShopModel, cases=[FRESH], ledger=ledger, progress=stops)
    assert kinds(ledger) == ["freeze", "observe"]
    assert ledger.independence(FRESH, ledger.freeze({"revision": 2})).held_out is False


def test_a_candidate_that_was_not_frozen_has_nothing_held_out(ledger: Ledger) -> None:
    found = ledger.independence(FRESH, "f" * 64)
    assert found == Independence(False, "the candidate was not frozen before it was tried")
    with pytest.raises(InputError, match=r"parent: 'ffff.*' was never frozen here"):
        ledger.freeze({"revision": 1}, parent="f" * 64)


@pytest.mark.parametrize(
    "revision",
    [
        {"skill": OPENING_PROCEDURE},
        {"limits": Limits(model_calls=7)},
    ],
)
def test_another_skill_or_limit_is_another_candidate(
    ledger: Ledger, revision: dict[str, Any]
) -> None:
    evaluate(GuidedFixture, cases=[FRESH], ledger=ledger)
    report = evaluate(GuidedFixture, cases=[FRESH], ledger=ledger, **revision)
    assert of(report)["held_out"] is False
    assert kinds(ledger).count("freeze") == 2


def test_requests_are_remembered_too(ledger: Ledger) -> None:
    report = run_requests({"keywords": keywords}, cases=[ASKED], ledger=ledger)
    assert of(report, "asked")["held_out"] is True
    late = run_requests({"late": lambda payload: ("{}", 0)}, cases=[ASKED], ledger=ledger)
    assert of(late, "asked")["held_out"] is False
    assert ledger.spent([ASKED, REQUEST_CASES[0]]) == {"asked": 2, "stock": 0}


def test_an_edited_ledger_is_refused_before_anything_runs(ledger: Ledger) -> None:
    evaluate(OfflineShopModel, cases=[FRESH], ledger=ledger)
    text = ledger.path.read_text()
    ledger.path.write_text(text.replace('"fresh"', '"frosh"'))
    ran: list[Any] = []
    with pytest.raises(LabError, match="this ledger was changed"):
        evaluate(OfflineShopModel, cases=[FRESH], ledger=ledger, progress=lambda *a: ran.append(a))
    assert ran == []


def test_what_is_no_case_or_ledger_is_named() -> None:
    with pytest.raises(InputError, match="ledger: 5 is no case"):
        identify(5)
    with pytest.raises(InputError, match="give a Ledger, or the path of its file"):
        evaluate(OfflineShopModel, cases=[FRESH], ledger=5)  # type: ignore[arg-type]
