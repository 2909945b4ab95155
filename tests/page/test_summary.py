"""The top of a page: what a decision needs, in its order, and never more than was checked."""

from pathlib import Path
from typing import Any

import pytest

from lab.cases import Case
from lab.checkpoint import checkpoint
from lab.errors import InputError
from lab.evaluation import evaluate
from lab.evidence import load_report, save_report
from lab.grading import Criteria
from lab.interpretation import keywords, run_requests
from lab.page import report_page, show, write_page
from lab.page.attempts import line
from lab.page.summary import Summary, summary
from lab.review import unreviewed
from lab.shop.fixtures import OfflineShopModel
from tests.export.reports import STOCK, every_ending, passing, requests_of_all_sorts

LIVE = Path(__file__).parents[2] / "fixtures" / "live"


def top(report: dict[str, object], **known: object) -> Summary:
    rows = report["cases"]
    assert isinstance(rows, list)
    lines = [line(number, row) for number, row in enumerate(rows, start=1)]
    return summary(report, lines, **known)  # type: ignore[arg-type]


def test_a_verdict_stands_beside_what_it_leaves_open() -> None:
    report = passing()
    found = top(report, review=unreviewed(report))
    facts = dict(found.facts)
    assert (found.verdict, found.tone) == ("REVIEW_REQUIRED", "work")
    assert found.meaning[0] == (
        "All 1 attempts passed every check; 0 of 1 answers were read by a person."
    )
    assert found.meaning[2] == (
        "Whether the agent may be used is not decided here: a person decides."
    )
    assert found.ungraded == ["explanation amounts", "unsupported claims", "business usefulness"]
    assert found.warnings == [
        "The candidate is a fixture: this tests the harness and is no evidence about a language"
        " model."
    ]
    assert facts["attempts passed"][0] == "1/1 [0.21, 1.00], of 1 distinct cases"
    assert facts["failed"] == ["nothing that a check looked at"]
    assert facts["reviewed"] == ["0 of 1 answers reviewed"]
    assert facts["not held out"] == ["opening: no ledger was kept, so nobody knows who has seen it"]


def test_what_is_not_known_here_is_not_said(tmp_path: Path) -> None:
    report = passing()
    path, digest = save_report(tmp_path, report)
    found = top(load_report(path))
    facts = dict(found.facts)
    assert facts["reviewed"] == ["a review stands beside the saved report, and is not known here"]
    assert facts["sha256"] == [digest]
    assert found.meaning[0] == "All 1 attempts passed every check."


def test_what_nobody_counted_is_unknown() -> None:
    def never(*_: object) -> OfflineShopModel:
        raise KeyboardInterrupt

    facts = dict(top(evaluate(never, cases=[Case("x", "development", STOCK, ())])).facts)
    assert facts["agent"][0] == (
        "unknown s, unknown model calls, unknown tool calls, unknown output tokens,"
        " 1 attempts of unknown usage"
    )


def test_a_fixture_is_known_by_its_attempts_and_not_by_a_sentence() -> None:
    report = passing()
    report["caveats"] = []
    assert top(report).warnings == [
        "The candidate is a fixture: this tests the harness and is no evidence about a language"
        " model."
    ]


def test_a_checkpoint_shows_what_it_missed() -> None:
    report = checkpoint()
    report["checkpoint"]["attacks"][0]["deviations"] = ["<b>missed</b>"]
    report["checkpoint"]["as_written"] = False
    found = top(report)
    assert found.warnings[-1] == (
        "The checkpoint did not come out as written: the instrument missed what it must see."
    )
    [_, table] = found.tables
    assert table.rows[0][:3] == ["correct fixture", "all 8, 16/16 [0.68, 1.00]", "nothing"]
    assert table.rows[1][4] == "NO; <b>missed</b>"
    assert "<b>" not in report_page(report)


def test_a_rejection_says_how_much_failed_and_each_check_what_it_asks() -> None:
    report = every_ending()
    found = top(report)
    assert (found.verdict, found.tone) == ("REJECTED", "open")
    assert found.meaning[0] == "5 of 6 attempts failed at least one check."
    [checks] = found.tables
    assert checks.rows[0] == (
        "completed",
        "2/6 [0.10, 0.70]",
        "The loop ended with an answer.",
    )
    report["provenance"]["digests"]["checks"] = "of other checks by these names"
    [checks] = top(report).tables
    assert checks.rows[0] == ("completed", "2/6 [0.10, 0.70]")
    assert checks.headings == ("check", "attempts passed")
    assert checks.note.endswith("they are other ones than this version's.")


def test_the_cases_that_fail_are_named_those_that_always_do_first() -> None:
    cases = [Case(name, "development", STOCK, answer) for name, answer in
             (("once", (("V", 6),)), ("always", (("V", 7),)))]  # fmt: skip
    models = iter([OfflineShopModel, None, OfflineShopModel, OfflineShopModel])

    def candidate() -> OfflineShopModel:
        made = next(models)
        if made is None:
            raise RuntimeError("out of order")
        return made()

    report = evaluate(candidate, cases=cases, repeats=2)
    assert dict(top(report).facts)["failed"] == [
        "always failed 2 of 2: quantities, baseline_matches_authored_answer",
        "once failed 1 of 2: completed, quantities, grounded",
    ]


def test_criteria_are_answered_and_never_accepted() -> None:
    report = evaluate(
        OfflineShopModel,
        cases=[Case("opening", "development", STOCK, (("V", 6),))],
        criteria=Criteria(max_seconds=60.0),
    )
    assert dict(top(report).facts)["criteria"] == [
        "required_checks: met 1/1 [0.21, 1.00] of the passing attempts",
        "max_seconds: met 1/1 [0.21, 1.00] of the passing attempts",
        "explanation: needs a person 1/1 [0.21, 1.00] of the passing attempts",
    ]


def test_requests_are_compared_and_nobody_is_accepted() -> None:
    found = top(requests_of_all_sorts(), digest="0" * 64)
    assert found.verdict == "COMPARED"
    assert found.meaning == [
        "This compares candidates; it accepts none. A person reads the attempts and decides."
    ]
    [candidates, compared] = found.tables
    assert [row[:2] for row in candidates.rows] == [
        ["stock of vanilla", "1/2 [0.09, 0.91]"],
        ["unlucky", "0/2 [0.00, 0.66]"],
    ]
    assert compared.rows == [("stock of vanilla", "unlucky", "1.0000", "stock", "none")]
    assert compared.note.startswith("Paired, exact McNemar")
    assert "With 2 cases no p is at most 0.05." in compared.note
    assert dict(found.facts)["sha256"] == ["0" * 64]


@pytest.mark.parametrize(
    "report",
    [run_requests({"keywords": keywords}), load_report(LIVE / "requests-20261201.json")],
    ids=["rule", "recorded"],
)
def test_every_request_has_its_page_the_one_with_an_empty_catalogue_too(
    report: dict[str, Any],
) -> None:
    page = report_page(report)
    assert page.count("<article") == len(report["cases"])
    assert "it was empty" in page


def test_a_page_holds_every_attempt_once() -> None:
    page = report_page(every_ending())
    assert [page.count(f'<article id="attempt-{n}"') for n in range(1, 8)] == [1] * 6 + [0]


def test_a_large_page_packs_them_and_a_block_is_as_large_as_its_script_thinks() -> None:
    from lab.page import report
    from lab.page.render import dressed

    assert f"const BLOCK = {report.BLOCK};" in str(dressed("report.js")["script"])


def test_a_page_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    broken = every_ending()
    del broken["cases"][5]["baseline"]["drafts"]
    with pytest.raises(KeyError):
        write_page(path, broken)
    assert list(tmp_path.iterdir()) == []
    write_page(path, every_ending())
    with pytest.raises(InputError, match="is there already and stays as it is"):
        write_page(path, every_ending())


def test_the_same_report_gives_the_same_bytes() -> None:
    report = every_ending()
    assert report_page(report) == report_page(report)


def test_a_notebook_and_a_terminal_get_the_short_of_it() -> None:
    shown = show(passing())
    assert repr(shown) == (
        "REVIEW_REQUIRED\n1/1 [0.21, 1.00], of 1 distinct cases\n"
        "95 % intervals; repeats of one case are not counted as new cases\n"
        "nothing that a check looked at"
    )
    html = shown._repr_html_()
    assert html.count("REVIEW_REQUIRED") == 1
    assert "Not graded:" in html
    assert "<script" not in html
    assert repr(show(requests_of_all_sorts())).startswith("COMPARED\n2\n")


def test_a_terminal_is_not_driven_by_a_name() -> None:
    report = every_ending()
    report["cases"][1]["case"] = "\x1b]0;mine\x07"
    assert "\\x1b]0;mine\\x07 failed 1 of 1" in repr(show(report))
