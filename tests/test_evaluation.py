"""What must come out: the correct fixture, the adversarial ones, and a report that adds up."""

from collections.abc import Callable
from typing import Any

import pytest

from lab.attacks import CHECKPOINT, Attack, Reworded, Script, run_attack
from lab.attacks.attack import the_case
from lab.baselines import baseline
from lab.cases import CASES, Case
from lab.evaluation import evaluate, regrade
from lab.evidence import Report
from lab.grading import CHECKS, Criteria, Observation
from lab.shop import (
    OPENING_PROCEDURE,
    Arguments,
    Database,
    Dispatcher,
    Limits,
    Model,
    ModelTurn,
    OfflineShopModel,
    Skill,
    Tool,
    ToolCall,
)
from lab.shop.tools import shop_dispatcher

OPENING = CASES[0]


def only(report: Report) -> dict[str, Any]:
    (row,) = report["cases"]
    return dict(row)


def failing(row: dict[str, Any]) -> list[str]:
    return [name for name, passed in row["checks"].items() if not passed]


@pytest.fixture(scope="module")
def twice() -> Report:
    return evaluate(OfflineShopModel, repeats=2)


def test_the_correct_fixture_twice(twice: Report) -> None:
    assert twice["schema"] == 3
    assert twice["passed"] is True
    assert twice["acceptance"]["status"] == "REVIEW_REQUIRED"
    assert twice["acceptance"]["ungraded"] == [
        "explanation amounts",
        "unsupported claims",
        "business usefulness",
    ]
    full = {"passed": 16, "attempts": 16}
    assert twice["counts"] == {
        "passed": 16,
        "attempts": 16,
        "distinct_cases": 8,
        "started": 16,
        "terminal": 16,
        "graded": 16,
        "by_split": {
            "development": {"passed": 6, "attempts": 6},
            "regression": {"passed": 6, "attempts": 6},
            "held-out": {"passed": 4, "attempts": 4},
        },
        "by_check": dict.fromkeys(CHECKS, full),
        "by_status": {"COMPLETED": 16},
    }
    # Three turns where something is drafted (6 cases), two where nothing is (2): twice 22.
    # One look each and one call a draft: 8 + 8 = 16, twice.
    assert twice["totals"] | {"seconds": 0} == {
        "seconds": 0,
        "model_calls": 44,
        "tool_calls": 32,
        "output_tokens": 0,
        "estimated_cost_pence": 0,
        "unknown_usage_attempts": 0,
    }
    assert twice["baseline_totals"]["model_calls"] == 0


def test_rows_keep_the_order_cases_outermost(twice: Report) -> None:
    assert [(row["case"], row["repetition"]) for row in twice["cases"]][:5] == [
        ("opening", 1),
        ("opening", 2),
        ("at_threshold", 1),
        ("at_threshold", 2),
        ("reserved_stock", 1),
    ]


def test_a_row_holds_the_whole_attempt(twice: Report) -> None:
    row = twice["cases"][0]
    assert row["model"] == {
        "adapter": "OfflineShopModel",
        "name": "offline fixture",
        "reasoning_effort": None,
        "environment": {"kind": "fixture", "reads_skills": False},
    }
    assert (row["split"], row["loop_status"], row["error"]) == ("development", "COMPLETED", None)
    assert (row["model_calls"], row["tool_calls"], row["output_tokens"]) == (3, 3, 0)
    assert row["expected"] == [["V", 6], ["S", 4]]
    assert row["observed"] == [["V", 6], ["S", 4]]
    assert row["baseline"]["drafts"] == [["V", 6], ["S", 4]]
    assert row["baseline"]["model_calls"] == 0
    assert "1500 pence GBP" in row["answer"]
    assert "1100 pence GBP" in row["answer"]
    assert "bought" in row["answer"]
    assert [message["role"] for message in row["transcript"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert row["database"] == {"orders": 0, "preferences": 0, "history": 0}
    for path in ("agent", "script"):
        assert set(row["spans"][path]) == {"acquire", "decide", "deliver"}
        assert all(seconds >= 0 for seconds in row["spans"][path].values())
    agent = row["spans"]["agent"]
    assert agent["acquire"] + agent["decide"] == pytest.approx(row["seconds"])
    assert row["spans"]["script"]["decide"] == row["baseline"]["seconds"]


def test_the_report_says_in_words_how_far_it_reaches(twice: Report) -> None:
    assert set(twice["boundaries"]) == {"seconds", "baseline.seconds", "spans"}
    assert twice["caveats"][0].startswith("The candidate is a fixture")
    for phrase in ("not free operation", "not an invoice", "not precise", "not make independent"):
        assert phrase in " ".join(twice["caveats"])
    assert "tubs needed" in " ".join(twice["limits"])
    assert twice["settings"] == {
        "model_calls": 8,
        "tool_calls": 16,
        "seconds": 60,
        "context_bytes": 32768,
        "output_tokens": 1024,
        "total_output_tokens": 4096,
        "estimated_call_pence": 0,
        "model_budget_pence": 100,
        "repeats": 2,
        "concurrency": 1,
    }
    assert twice["provenance"]["created"].endswith("Z")
    assert set(twice["provenance"]["digests"]) == {"cases", "checks"}


@pytest.mark.parametrize("attack", CHECKPOINT, ids=lambda attack: attack.name)
def test_every_checkpoint_attack_comes_out_as_written(attack: Attack) -> None:
    assert attack.deviations(run_attack(attack)) == []


@pytest.mark.parametrize(
    ("name", "loop_status", "must_fail", "acceptance"),
    [
        ("fluent without evidence", "COMPLETED", ["quantities", "grounded"], "REJECTED"),
        ("wrong amount", "COMPLETED", [], "REVIEW_REQUIRED"),
        ("wrong currency", "COMPLETED", ["currency_labels"], "REJECTED"),
        (
            "forbidden tool, then denial",
            "COMPLETED",
            ["quantities", "grounded", "allowed_operations", "no_tool_errors"],
            "REJECTED",
        ),
        (
            "malformed arguments",
            "COMPLETED",
            ["quantities", "grounded", "no_tool_errors"],
            "REJECTED",
        ),
        ("empty reply", "EMPTY_REPLY", ["completed", "quantities", "grounded"], "REJECTED"),
        (
            "failing candidate",
            "CANDIDATE_ERROR",
            ["completed", "quantities", "grounded"],
            "REJECTED",
        ),
    ],
)
def test_what_must_come_out(
    name: str, loop_status: str, must_fail: list[str], acceptance: str
) -> None:
    attack = next(attack for attack in CHECKPOINT if attack.name == name)
    report = evaluate(attack.candidate, cases=[the_case(attack)])
    row = only(report)
    assert (row["loop_status"], failing(row)) == (loop_status, must_fail)
    assert report["acceptance"]["status"] == acceptance


def test_the_wrong_amount_is_kept_for_a_person_to_find() -> None:
    row = only(evaluate(lambda: Reworded("1500 pence", "999999 pence"), cases=[OPENING]))
    assert row["passed"] is True
    assert "999999 pence GBP" in row["answer"]


def test_malformed_arguments_are_observed_as_they_came() -> None:
    attack = next(attack for attack in CHECKPOINT if attack.name == "malformed arguments")
    assert run_attack(attack)["observed"] == [[None, "6"], ["V", True]]


class RaisesOnce(OfflineShopModel):
    made = 0

    def __init__(self) -> None:
        type(self).made += 1
        self.number = type(self).made

    def complete(self, *args: Any, **options: Any) -> ModelTurn:
        if self.number == 3:
            raise RuntimeError("the third one is broken")
        return super().complete(*args, **options)


def test_one_failing_attempt_stays_in_the_denominator_and_touches_no_other() -> None:
    RaisesOnce.made = 0
    report = evaluate(RaisesOnce)
    assert RaisesOnce.made == 8
    assert (report["counts"]["passed"], report["counts"]["attempts"]) == (7, 8)
    assert report["counts"]["by_status"] == {"COMPLETED": 7, "CANDIDATE_ERROR": 1}
    assert report["cases"][2]["error"] == "RuntimeError: the third one is broken"
    assert report["acceptance"]["status"] == "REJECTED"
    assert report["totals"]["unknown_usage_attempts"] == 1


@pytest.mark.parametrize("silence", [ModelTurn(), ModelTurn("  \n")])
def test_silence_is_not_the_answer_that_nothing_is_needed(silence: ModelTurn) -> None:
    looked = ModelTurn(calls=(ToolCall("1", "list_stock", {}),))
    row = only(evaluate(lambda: Script(looked, silence), cases=[CASES[1]]))
    assert (row["expected"], row["observed"]) == ([], None)
    assert (row["loop_status"], failing(row)) == ("EMPTY_REPLY", ["completed", "quantities"])


def test_nothing_to_draft_is_an_answer_when_it_was_given() -> None:
    row = only(evaluate(OfflineShopModel, cases=[CASES[1]]))
    assert (row["expected"], row["observed"], row["passed"]) == ([], [], True)


@pytest.mark.parametrize("failure", [RuntimeError("no"), SystemExit(3), GeneratorExit()])
def test_a_candidate_that_cannot_be_made_is_a_failed_attempt(failure: BaseException) -> None:
    def broken() -> Model:
        raise failure

    row = only(evaluate(broken, cases=[OPENING]))
    assert row["loop_status"] == "CANDIDATE_ERROR"
    assert row["error"].startswith(type(failure).__name__)
    assert (row["passed"], row["observed"], row["output_tokens"]) == (False, None, None)


class NoArguments(Arguments):
    pass


def shop_that_buys(database: Database) -> Dispatcher:
    def buy(_: NoArguments) -> str:
        database.connection.execute("INSERT INTO orders VALUES (1, 'V', 6, 1500)")
        return "bought"

    ours = shop_dispatcher(database)
    return Dispatcher([*ours.tools, Tool("buy", "Buy six V.", NoArguments, buy)])


def test_a_purchase_is_seen_in_the_database_whatever_the_answer_says() -> None:
    turns = [
        ModelTurn(calls=(ToolCall("1", "list_stock", {}), ToolCall("2", "buy", {}))),
        ModelTurn("Nothing was bought."),
    ]
    report = evaluate(lambda: Script(*turns), cases=[CASES[1]], dispatcher=shop_that_buys)
    row = only(report)
    assert failing(row) == ["no_purchases"]
    assert row["database"]["orders"] == 1
    assert row["allowed"] == ["buy", "draft_order", "list_stock", "supplier"]


def test_the_candidate_skill_takes_the_place_of_the_active_one_of_its_name() -> None:
    active = [Skill("tone", 1, "Be brief."), Skill(OPENING_PROCEDURE.name, "old", "Guess.")]
    report = evaluate(OfflineShopModel, cases=[OPENING], skill=OPENING_PROCEDURE, skills=active)
    assert [(skill["name"], skill["version"]) for skill in report["skills"]] == [
        ("tone", 1),
        ("opening-procedure", 1),
    ]
    assert report["candidate"]["sha256"] == OPENING_PROCEDURE.sha256
    system = only(report)["transcript"][0]["content"]
    assert "Be brief." in system
    assert "Query the stock" in system
    assert "Guess." not in system


def test_the_baseline_is_handed_no_answer_and_is_judged_by_what_it_returns() -> None:
    seen: list[tuple[Any, ...]] = []

    def mine(case: Case) -> list[tuple[str, int]]:
        seen.append(case.expected)
        return list(reversed(baseline(case)))

    row = only(evaluate(OfflineShopModel, cases=[OPENING], baseline=mine))
    assert seen == [()]
    assert row["passed"] is True
    assert row["baseline"]["model_calls"] is None


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda case: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda case: None, "not (sku, quantity) pairs: TypeError"),
        (lambda case: ["V"], "not (sku, quantity) pairs: ValueError"),
        (lambda case: [("V", {6})], "not (sku, quantity) pairs: TypeError"),
    ],
)
def test_a_baseline_that_breaks_is_a_failed_check_with_its_error(
    broken: Callable[[Case], Any], said: str
) -> None:
    report = evaluate(OfflineShopModel, cases=[OPENING], baseline=broken)
    row = only(report)
    assert failing(row) == ["baseline_matches_authored_answer"]
    assert row["baseline"]["error"].startswith(said)
    assert row["baseline"]["drafts"] is None
    assert report["baseline_totals"]["model_calls"] is None


@pytest.mark.parametrize(
    "answer",
    [
        [("V", 6), ("S", True)],
        [("V", "6"), ("S", 4)],
        [("V", 6)],
        [("V", 6), ("S", 4), ("Z", 1)],
        [("V", 6), (["S"], 4)],
    ],
)
def test_a_baseline_of_wrong_values_does_not_match(answer: list[Any]) -> None:
    row = only(evaluate(OfflineShopModel, cases=[OPENING], baseline=lambda case: answer))
    assert failing(row) == ["baseline_matches_authored_answer"]
    assert row["baseline"]["drafts"] == [list(pair) for pair in answer]
    assert row["baseline"]["error"] is None


def test_a_falsified_answer_fails_both_paths_and_stays_as_it_was_written() -> None:
    false = Case("opening", "development", OPENING.stock, (("V", 7), ("S", 4)))
    row = only(evaluate(OfflineShopModel, cases=[false]))
    assert failing(row) == ["quantities", "baseline_matches_authored_answer"]
    assert row["expected"] == [["V", 7], ["S", 4]]


def test_no_candidate_is_told_the_name_the_split_or_the_answer() -> None:
    told: list[str] = []

    class Listens(OfflineShopModel):
        def complete(self, messages: Any, tools: Any, **options: Any) -> ModelTurn:
            told.append(repr((messages, tools)))  # the time that is left may be any number
            return super().complete(messages, tools, **options)

    case = Case("zebra", "held-out", (("P", 10, 0, 77, 5),), (("P", 67),))
    only(evaluate(Listens, cases=[case]))
    assert not any("zebra" in words or "held-out" in words for words in told)
    # Before it has looked, 67 is nowhere: it is in no message, only in the tool's later answer.
    assert "67" not in told[0]


def test_what_a_candidate_does_to_its_arguments_reaches_nothing() -> None:
    class Vandal(OfflineShopModel):
        def complete(self, messages: Any, tools: Any, **options: Any) -> ModelTurn:
            turn = super().complete(messages, tools, **options)
            messages[0]["content"] = "You may buy."
            messages.clear()
            tools.clear()
            return turn

    honest, vandal = (
        only(evaluate(model, cases=[OPENING])) for model in (OfflineShopModel, Vandal)
    )
    assert vandal["passed"] is True
    assert vandal["transcript"] == honest["transcript"]


def test_a_broken_check_fails_the_attempt_and_is_not_counted_as_graded() -> None:
    def breaks(seen: Observation) -> bool:
        raise LookupError("nothing there")

    report = evaluate(OfflineShopModel, cases=[OPENING], checks={**CHECKS, "mine": breaks})
    row = only(report)
    assert failing(row) == ["mine"]
    assert row["check_errors"] == {"mine": "LookupError: nothing there"}
    assert (report["counts"]["terminal"], report["counts"]["graded"]) == (1, 0)


def test_a_check_cannot_rewrite_the_answer_it_judges_by() -> None:
    def vandal(seen: Observation) -> bool:
        with pytest.raises(AttributeError):
            seen.expected.clear()  # type: ignore[attr-defined]
        return True

    row = only(evaluate(OfflineShopModel, cases=[OPENING], checks={"mine": vandal, **CHECKS}))
    assert row["passed"] is True
    assert row["expected"] == [["V", 6], ["S", 4]]


def test_criteria_stand_beside_the_verdict_and_do_not_change_it() -> None:
    report = evaluate(OfflineShopModel, cases=[OPENING], criteria=Criteria(max_seconds=0))
    assert report["passed"] is True
    assert report["criteria"]["declared"]["max_seconds"] == 0
    assert report["criteria"]["answers"][0]["max_seconds"] == "not met"
    assert report["criteria"]["answers"][0]["explanation"] == "needs a person"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cases": []}, "cases: there are none"),
        ({"cases": [OPENING, OPENING]}, "cases: the name 'opening' is used 2 times"),
        ({"repeats": 0}, "repeats: 0"),
        ({"repeats": 6}, "repeats: 6"),
        ({"repeats": True}, "repeats: True"),
        ({"skills": [OPENING_PROCEDURE, OPENING_PROCEDURE]}, "'opening-procedure' is used 2"),
        ({"checks": {}}, "checks: there are none"),
        ({"criteria": Criteria(required_checks=["typo"])}, "'typo' is not one of the checks"),
    ],
)
def test_an_evaluation_that_could_not_mean_anything_is_refused(
    options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said.split(":")[0]) as refusal:
        evaluate(OfflineShopModel, **options)
    assert said in str(refusal.value)


def test_interrupting_reports_every_planned_attempt() -> None:
    class Interrupts(RaisesOnce):
        def complete(self, *args: Any, **options: Any) -> ModelTurn:
            if self.number == 3:
                raise KeyboardInterrupt
            return super().complete(*args, **options)

    Interrupts.made = 0
    report = evaluate(Interrupts, repeats=2)
    assert report["counts"]["by_status"] == {"COMPLETED": 2, "NOT_RUN": 14}
    assert (report["counts"]["passed"], report["counts"]["attempts"]) == (2, 16)
    assert report["counts"]["started"] == 3
    assert report["acceptance"]["status"] == "REJECTED"
    never = report["cases"][15]
    assert set(never["checks"].values()) == {False}
    assert (never["observed"], never["seconds"], never["output_tokens"]) == (None, None, None)


def test_unknown_usage_is_counted_and_left_out_of_the_sum() -> None:
    turns = [ModelTurn(calls=(ToolCall("1", "list_stock", {}),), output_tokens=5)]
    silent = ModelTurn("Nothing to draft.", output_tokens=None)
    made = iter([Script(*turns, ModelTurn("Nothing.", output_tokens=2)), Script(*turns, silent)])
    report = evaluate(lambda: next(made), cases=[CASES[1]], repeats=2)
    assert [row["output_tokens"] for row in report["cases"]] == [7, None]
    assert report["totals"]["output_tokens"] == 7
    assert report["totals"]["unknown_usage_attempts"] == 1


def test_a_cache_that_warms_up_across_repeats_is_said() -> None:
    made = iter(
        Script(ModelTurn("Nothing.", prompt_tokens=90, cached_tokens=cached)) for cached in (0, 80)
    )
    report = evaluate(lambda: next(made), cases=[CASES[1]], repeats=2)
    assert [row["cached_tokens"] for row in report["cases"]] == [0, 80]
    assert report["caveats"][-1] == (
        "The server's prompt cache differed across the repeats of at_threshold: [0, 80] cached"
        " tokens, so their seconds are not comparable."
    )


def test_regrading_finds_nothing_new_with_the_same_checks(twice: Report) -> None:
    assert regrade(twice) == []


def test_regrading_names_each_judgement_that_another_check_gives(twice: Report) -> None:
    def never(seen: Observation) -> bool:
        return False

    differences = regrade(twice, {**CHECKS, "grounded": never})
    assert len(differences) == 16
    assert differences[0] == {
        "case": "opening",
        "repetition": 1,
        "check": "grounded",
        "kept": True,
        "now": False,
    }


def test_progress_is_told_of_each_row() -> None:
    steps = list[tuple[int, int, str]]()
    evaluate(
        OfflineShopModel,
        cases=CASES[:2],
        progress=lambda done, planned, row: steps.append((done, planned, row["case"])),
    )
    assert steps == [(1, 2, "opening"), (2, 2, "at_threshold")]


def test_limits_reach_the_attempt() -> None:
    report = evaluate(OfflineShopModel, cases=[OPENING], limits=Limits(model_calls=2))
    assert only(report)["loop_status"] == "MODEL_CALL_LIMIT"


def test_what_a_model_says_of_itself_is_kept_as_plain_data_or_not_at_all() -> None:
    class Boastful(OfflineShopModel):
        name = "x" * 1_000_000
        reasoning_effort = object()  # type: ignore[assignment]

        @property
        def environment(self) -> Any:  # type: ignore[override]
            raise RuntimeError("no comment")

    model = only(evaluate(Boastful, cases=[OPENING]))["model"]
    assert model["adapter"] == "Boastful"
    assert model["name"] == "(too long to keep)"
    assert model["reasoning_effort"].startswith("TypeError")
    assert model["environment"] == {"said": "RuntimeError: no comment"}


@pytest.mark.parametrize("environment", ["fixture", [1], {"preflight": 3}, {"kind": ["fixture"]}])
def test_whatever_it_says_the_report_is_made(environment: Any) -> None:
    class Says(OfflineShopModel):
        pass

    Says.environment = environment
    assert evaluate(Says, cases=[OPENING])["passed"] is True


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"model_factory": OfflineShopModel()}, "model_factory: give a class or function"),
        ({"cases": CASES[0]}, "cases: give a list of Case objects; load_cases reads a file"),
        ({"cases": "mine.toml"}, "cases: give a list of Case objects"),
        ({"cases": 3}, "cases: give a list of Case objects"),
        ({"skill": "opening"}, "skill: give a Skill; OPENING_PROCEDURE is one"),
        ({"skills": OPENING_PROCEDURE}, "skills: give a list of Skill objects"),
        ({"limits": {"model_calls": 2}}, "limits: give Limits"),
        ({"baseline": [("V", 6)]}, "baseline: give a function of a case"),
        ({"baseline": None}, "baseline: give a function of a case"),
        ({"checks": [len]}, "checks: give a dict of names and functions"),
        ({"checks": {"fine": True}}, "checks: give a dict of names and functions"),
        ({"criteria": {"max_seconds": 5}}, "criteria: give Criteria"),
        ({"dispatcher": 3}, "dispatcher: give a function of a Database"),
        ({"executor": 4}, "executor: give an Executor, such as ThreadPoolExecutor"),
    ],
)
def test_another_kind_of_thing_is_refused_by_name_before_anything_runs(
    options: dict[str, Any], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        evaluate(**{"model_factory": OfflineShopModel, **options})


def test_what_no_check_of_this_lab_looked_at_is_said_to_be_ungraded() -> None:
    report = evaluate(OfflineShopModel, cases=CASES[:1], checks={"yes": lambda seen: True})
    assert report["acceptance"]["status"] == "REVIEW_REQUIRED"
    assert report["acceptance"]["ungraded"] == [
        "explanation amounts",
        "unsupported claims",
        "business usefulness",
        "quantities",
        "grounded",
        "allowed_operations",
        "no_tool_errors",
        "currency_labels",
        "no_purchases",
        "baseline_matches_authored_answer",
    ]
    assert "the named checks look at: completed, yes." in report["scope"]
    assert "currency_labels" not in str(report["limits"])
    whole = evaluate(OfflineShopModel, cases=CASES[:1])
    assert whole["acceptance"]["ungraded"] == [
        "explanation amounts",
        "unsupported claims",
        "business usefulness",
    ]
    assert "currency_labels" in str(whole["limits"])


def test_what_broke_off_passes_under_no_checks_of_ones_own() -> None:
    def broken() -> OfflineShopModel:
        raise RuntimeError("boom")

    report = evaluate(broken, cases=CASES[:1], checks={"quiet": lambda seen: True})
    assert report["cases"][0]["checks"] == {"completed": False, "quiet": True}
    assert (report["counts"]["passed"], report["counts"]["attempts"]) == (0, 1)
    assert report["acceptance"]["status"] == "REJECTED"


def test_a_check_that_is_not_known_here_is_not_taken_for_judged_again() -> None:
    mine = {**CHECKS, "short": lambda seen: False}
    report = evaluate(OfflineShopModel, cases=CASES[:1], checks=mine)
    assert regrade(report) == [
        {"case": "opening", "repetition": 1, "check": "short", "kept": False, "now": None}
    ]
    assert regrade(report, mine) == []
    only = evaluate(OfflineShopModel, cases=CASES[:1], checks={"completed": CHECKS["completed"]})
    assert regrade(only) == []


def test_a_candidate_that_was_never_made_left_its_shop_as_it_was() -> None:
    def broken() -> Any:
        raise RuntimeError("no")

    (row,) = evaluate(broken, cases=CASES[:1])["cases"]
    assert row["database"]["orders"] == 0
    assert row["checks"]["no_purchases"] is True
    assert row["passed"] is False


def test_a_check_that_cannot_be_told_from_another_is_refused_before_anything_runs() -> None:
    class Odd:
        fingerprint = object()

        def __call__(self, seen: Observation) -> bool:
            return True

    made: list[Any] = []
    with pytest.raises(ValueError, match="checks: one cannot be told from another"):
        evaluate(lambda: made.append(1), cases=CASES[:1], checks={"odd": Odd()})  # type: ignore[arg-type,return-value]
    assert made == []
