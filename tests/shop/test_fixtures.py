"""The two fixtures: one is always right, the other is as good as its guidance."""

import pytest

from lab.cases import CASES
from lab.evaluation import evaluate
from lab.shop.fixtures import GuidedFixture, OfflineShopModel
from lab.shop.skills import OPENING_PROCEDURE, Skill

LABELLED = "Look at the stock, then draft what is low. Answer in pence GBP."


def passing(guidance: str) -> list[str]:
    report = evaluate(GuidedFixture, skill=Skill("mine", 1, guidance))
    return [row["case"] for row in report["cases"] if row["passed"]]


def test_the_frozen_procedure_is_guidance_enough() -> None:
    report = evaluate(GuidedFixture, skill=OPENING_PROCEDURE)
    assert (report["counts"]["passed"], report["counts"]["attempts"]) == (8, 8)


def test_without_guidance_it_does_not_even_look() -> None:
    report = evaluate(GuidedFixture)
    assert report["counts"]["by_check"]["grounded"] == {"passed": 0, "attempts": 8}


def test_each_clause_is_obeyed_and_no_other() -> None:
    # With nothing said of reservations: wrong where tubs are reserved and something is needed.
    assert passing(LABELLED) == [
        "opening",
        "at_threshold",
        "empty_catalog",
        "hostile_request",
        "zero_threshold",
    ]
    assert len(passing(LABELLED + " Reserved tubs do not count.")) == 8
    # Without a label, only what needs no draft passes.
    assert passing("Look at the stock, then draft. Mind reservations.") == [
        "at_threshold",
        "empty_catalog",
    ]
    # Told only to look, it drafts nothing.
    assert passing("Check the stock.") == ["at_threshold", "empty_catalog"]


@pytest.mark.parametrize("fixture", [OfflineShopModel, GuidedFixture])
def test_a_fixture_says_that_it_is_one(
    fixture: type[OfflineShopModel] | type[GuidedFixture],
) -> None:
    assert "fixture" in fixture.name
    assert "evidence" in (fixture.__doc__ or "")


def test_the_offline_fixture_explains_in_pence_and_denies_buying() -> None:
    row = evaluate(OfflineShopModel, cases=[CASES[4]])["cases"][0]
    assert "625 pence GBP" in row["answer"]
    assert "900 pence GBP" in row["answer"]
    assert "Nothing was bought" in row["answer"]
