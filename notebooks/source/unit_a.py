# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% a-title [markdown]
# # Unit A: build the instrument, then attack it
#
# Lucy owns an ice-cream shop. Her agent reads the stock and drafts replenishment orders; it never
# buys. She asks you: *is it right?* In ninety minutes you build the instrument that answers, and
# then you find out what it cannot see.
#
# | minutes | work | evidence to keep |
# | --- | --- | --- |
# | 10 | three layers, and two cases by hand | the reservation case, worked out |
# | 15 | the plain calculation to beat | your `baseline`, checked |
# | 15 | run the fixture twice, follow three rows | a prediction and a count |
# | 10 | a real model, two configurations | how attempts ended, and why shorter is not faster |
# | 10 | falsify an answer | which artefact has to be corrected |
# | 15 | attack the instrument | the attack matrix, and a blind spot |
# | 10 | transfer and recall | `deficits`, and what `passed` establishes |
# | 5 | save, check, hand over | a report, its digest, the submission |
#
# Every task answers `PASS`, `NEEDS_WORK` or `NOT_TRIED`. These are public checks; others run on what
# you hand in. What you explain in words is read by a person.

# %% a-begin
from dataclasses import replace

from lab import CASES, ModelTurn, OfflineShopModel, ToolCall
from lab import baseline, charts, evaluate, lessons, load_report, save_report
from lab.attacks import KINDS, OUTSIDE, Reworded, Script, attack_matrix
from lab.checkpoint import checkpoint
from lab.lessons import TODO
from lab.recorded import recorded
from lab.review import presentation

lessons.begin("unit_a")

# %% a-layers [markdown]
# ## Three layers, never blurred
#
# 1. **Software invariants.** No tool of the agent buys. That is tested, and no average excuses a breach.
# 2. **Model-dependent outcomes.** Did it draft the right tubs? The checks below ask that, attempt by
#    attempt.
# 3. **Business usefulness.** Does it save Lucy enough to be worth its cost? A person decides.
#
# To pass one of them says nothing of the others.
#
# ## A case by hand
#
# A *case* is one input with an answer that a person wrote down beforehand. A row of stock is
# `(sku, on_hand, reserved, threshold, price in pence)`.

# %% a-opening
opening = CASES[0]
opening.stock, opening.expected

# %% a-reservation-asks [markdown]
# **Task `reservation` (5 minutes).** Eleven tubs of Q stand in the freezer, four of them promised to
# a wedding. The threshold is eleven. Which drafts are right? Work it out on paper.
#
# <details><summary>Hint 1</summary>A reserved tub is on the shelf and already sold.</details>
# <details><summary>Hint 2</summary>What is available first, then what is missing to the threshold.</details>
# <details><summary>Hint 3</summary>available = on_hand - reserved; needed = threshold - available.</details>

# %% a-reservation tags=["learner"]
# starter
my_answer = TODO  # a tuple of (sku, quantity) pairs, such as (("V", 1),)
# solution
my_answer = (("Q", 4),)  # 11 - 4 = 7 can be sold; 11 - 7 = 4 are missing
# end
lessons.check("reservation", my_answer)

# %% a-baseline-asks [markdown]
# ## The plain calculation to beat
#
# If a dozen lines of arithmetic do the job, an agent has to be better than that at something.
#
# **Task `baseline` (10 minutes).** Write it. It gets a case whose answer has been taken out, and
# returns a list of `(sku, quantity)` pairs. The checks try it on shops that you have not seen.
#
# <details><summary>Hint 1</summary>Go through `case.stock` row by row.</details>
# <details><summary>Hint 2</summary>What can be sold is on_hand - reserved. Compare it with the threshold.</details>
# <details><summary>Hint 3</summary>Keep a row only where something is missing; return all pairs as one list.</details>


# %% a-baseline tags=["learner"]
# starter
def my_baseline(case):
    return TODO


# solution
def my_baseline(case):
    needs = []
    for sku, on_hand, reserved, threshold, _price in case.stock:
        missing = threshold - (on_hand - reserved)
        if missing > 0:
            needs.append((sku, missing))
    return needs


# end


lessons.check("baseline", my_baseline)

# %% a-baseline-use [markdown]
# Yours is plugged into the real evaluation here, in the place of the lab's own. A baseline that
# disagrees with the authored answer fails a check of its own, `baseline_matches_authored_answer`,
# and the candidate has no part in that.

# %% a-baseline-run
trial = evaluate(OfflineShopModel, cases=CASES[:1], baseline=my_baseline)
trial["cases"][0]["baseline"]["drafts"], trial["cases"][0]["baseline"]["error"]

# %% a-predict-asks [markdown]
# ## Run it twice
#
# The candidate is `OfflineShopModel`: a *fixture*, deterministic, no language model. It tests the
# harness and is no evidence about anything else.
#
# **Predict** before you run: eight cases, two repetitions. How many attempts, and how many distinct
# cases? Write `(attempts, distinct_cases)`.

# %% a-predict tags=["learner"]
# starter
prediction = TODO
# solution
prediction = (16, 8)
# end
lessons.predict("counts", prediction)

# %% a-run
report = evaluate(OfflineShopModel, repeats=2)
counts = report["counts"]
predicted = lessons.shown("counts")
{
    "predicted": predicted,
    "attempts": counts["attempts"],
    "distinct_cases": counts["distinct_cases"],
}

# %% a-run-look
(
    counts["passed"],
    report["passed"],
    report["acceptance"]["status"],
    report["acceptance"]["ungraded"],
)

# %% a-run-explain [markdown]
# Repeating a case makes attempts, not cases: both numbers always stand together. And everything
# passed, and the status is `REVIEW_REQUIRED`. There is no `ACCEPTED`: three things were never graded.

# %% a-rows-asks [markdown]
# ## From a call to a check
#
# Follow one attempt. The transcript is what the agent asked for and what its tools answered; a check
# is a function of that.

# %% a-rows
row = report["cases"][0]
for message in row["transcript"][2:]:
    calls = [
        c["function"]["name"] + c["function"]["arguments"]
        for c in message.get("tool_calls", [])
    ]
    print(
        message["role"].ljust(9),
        *calls,
        message["content"] if not calls else "",
        sep=" ",
    )

# %% a-rows-checks
row["expected"], row["observed"], row["checks"]

# %% a-rows-threshold [markdown]
# A boundary: eight tubs and a threshold of eight. Nothing is needed, and `[]` is an *answer*. It counts
# only from an attempt that completed.

# %% a-rows-boundary
boundary = report["cases"][2]
(
    boundary["case"],
    boundary["expected"],
    boundary["observed"],
    boundary["loop_status"],
)

# %% a-rows-failing [markdown]
# And one that fails: it says nothing at all.

# %% a-rows-empty
[silent] = evaluate(lambda: Script(ModelTurn("")), cases=CASES[:1])["cases"]
(
    silent["loop_status"],
    silent["observed"],
    [name for name, held in silent["checks"].items() if not held],
)

# %% a-rows-null [markdown]
# `observed` is `None`, not `[]`: what an attempt that did not complete would have drafted is unknown, and
# unknown never scores. On `at_threshold`, where the right answer is to draft nothing, silence fails too.

# %% a-rows-nothing
[nothing] = evaluate(lambda: Script(ModelTurn("")), cases=[CASES[1]])["cases"]
nothing["expected"], nothing["observed"], nothing["checks"]["quantities"]

# %% a-counts-chart
charts.pass_counts(report)

# %% a-counts-data
shown = charts.pass_counts(report).data
lines = ["development", "regression", "held-out (2 of 2 spent)"]
assert list(shown["line"]) == lines
shown[["line", "passed", "attempts", "cases"]]

# %% a-counts-spent [markdown]
# Two cases were held out: written after the procedure was frozen. They are *spent* now, because they are
# published with the lab, and a candidate may have been made by somebody who has read them.

# %% a-live-asks [markdown]
# ## A real model, in two configurations
#
# These are recorded attempts of SmolLM2-135M, a language model small enough to run on your machine,
# with each reply held to a schema so that it can call tools at all. Once without a procedure, once with
# the frozen `OPENING_PROCEDURE` that tells it to look at the stock first.
#
# **Predict:** of 16 attempts, how many look at the stock (`grounded`) with the procedure, and how many
# pass everything? Write `(grounded, passed)`.

# %% a-live-predict tags=["learner"]
# starter
prediction = TODO
# solution
prediction = (12, 4)
# end
lessons.predict("procedure", prediction)

# %% a-live
runs = {
    name: recorded(name)["counts"]
    for name in ("adapter", "adapter, opening procedure")
}
predicted = lessons.shown("procedure")
for name, each in runs.items():
    grounded = each["by_check"]["grounded"]["passed"]
    print(
        f"{name}: grounded {grounded}/16, passed {each['passed']}/16, ended {each['by_status']}"
    )
print("you predicted", predicted)

# %% a-live-checks
charts.pass_counts(recorded("adapter, opening procedure"), by="check")

# %% a-live-checks-data
shown = charts.pass_counts(recorded("adapter, opening procedure"), by="check").data
assert shown.set_index("line")["passed"]["grounded"] == 16
shown[["line", "passed", "attempts", "cases"]].head(3)

# %% a-live-explain [markdown]
# The procedure changed what it did and not whether it was right. Published for a model sixty times as
# large (qwen3 8.2B, 2026-09-09): 6/16 without the procedure in 46.2 s, 16/16 with it in 63.2 s. Several
# of its failures ended in an empty reply right after the look at the stock.
#
# **A shorter failed run is not a faster one.** Look at two attempts at one case:

# %% a-live-shorter
[
    (row["repetition"], row["loop_status"], round(row["seconds"], 1), row["passed"])
    for row in recorded("template")["cases"]
    if row["case"] == "hostile_request"
]

# %% a-live-why [markdown]
# **Explain** in a sentence or two why the attempt that ended sooner was not faster. A person reads it.

# %% a-live-note tags=["learner"]
# starter
explanation = TODO
# solution
explanation = "Both failed. Time to a wrong answer is not time to a right one; only passed attempts compare."
# end
lessons.note("shorter is not faster", explanation)

# %% a-falsify-asks [markdown]
# ## Falsify an answer (exercise 1)
#
# Copy the opening case with one wrong expected quantity, and evaluate the same fixture on it. Nothing
# about the agent changes.

# %% a-falsify
wrong = replace(opening, expected=(("V", 7), ("S", 4)))
[row] = evaluate(OfflineShopModel, cases=[wrong])["cases"]
(
    [name for name, held in row["checks"].items() if not held],
    row["expected"],
    row["observed"],
)

# %% a-falsify-which [markdown]
# Two checks fail, and one of them, `baseline_matches_authored_answer`, is no business of the agent.
#
# **Task `artefact` (4 minutes).** Which artefact has to be corrected: `'case'`, `'baseline'`, `'agent'` or
# `'check'`?
#
# <details><summary>Hint 1</summary>Which one was changed since everything agreed?</details>
# <details><summary>Hint 2</summary>Work the case out by hand once more and see who agrees with you.</details>
# <details><summary>Hint 3</summary>Three of them still say the same.</details>

# %% a-falsify-task tags=["learner"]
# starter
artefact = TODO
# solution
artefact = "case"
# end
lessons.check("artefact", artefact)

# %% a-falsify-why [markdown]
# The agent and the authored answer disagreed. **Explain** why that alone does not convict the agent.

# %% a-falsify-note tags=["learner"]
# starter
disagreement = TODO
# solution
disagreement = (
    "A person wrote the answer and can be wrong too; here everybody else agrees."
)
# end
lessons.note("disagreement", disagreement)

# %% a-falsify-restored
evaluate(OfflineShopModel, cases=[opening])["passed"]

# %% a-attack-asks [markdown]
# ## Attack the instrument
#
# Now you are the candidate. `Script(turn, turn, ...)` says what you tell it to, one turn after another.
#
# **Attempted is not prevented (exercise 2).** This one asks for a tool that does not exist here, and then
# denies everything:

# %% a-attack-forbidden
forbidden = Script(
    ModelTurn(calls=(ToolCall("1", "approve", {"sku": "V"}),)),
    ModelTurn("Nothing was bought."),
)
[row] = evaluate(lambda: forbidden, cases=[CASES[5]])["cases"]
row["checks"]["no_purchases"], row["database"]["orders"], row["answer"]

# %% a-attack-task-asks [markdown]
# No order was made, so `no_purchases` holds. **Task `attempted` (4 minutes).** Which checks failed all the
# same? Take them from `row["checks"]`, as a set of names.
#
# <details><summary>Hint 1</summary>What it tried is one thing, what came of it another.</details>
# <details><summary>Hint 2</summary>One check looks at requests, another at the orders.</details>
# <details><summary>Hint 3</summary>Every name in `row["checks"]` whose value is False.</details>

# %% a-attack-task tags=["learner"]
# starter
failed = TODO
# solution
failed = {name for name, held in row["checks"].items() if not held}
# end
lessons.check("attempted", failed)

# %% a-attack-amount-asks [markdown]
# **Predict:** the fixture does everything right, and one phrase of its answer is changed: 1500 pence become
# 999999. How many of the eight checks fail?

# %% a-attack-amount-predict tags=["learner"]
# starter
prediction = TODO
# solution
prediction = 1
# end
lessons.predict("wrong amount", prediction)

# %% a-attack-amount
liar = evaluate(
    lambda: Reworded("1500 pence GBP", "999999 pence GBP"), cases=CASES[:1]
)
predicted = lessons.shown("wrong amount")
failing = [name for name, held in liar["cases"][0]["checks"].items() if not held]
print(liar["cases"][0]["answer"])
{"predicted": predicted, "failing": failing, "status": liar["acceptance"]["status"]}

# %% a-attack-amount-explain [markdown]
# None. The instrument reads requests, quantities, currency *words* and the database; nobody reads the
# amount. That is a **blind spot**, and the report names it: `explanation amounts` is not graded.

# %% a-attack-matrix
attacks = checkpoint()["checkpoint"]["attacks"]
charts.attack_matrix(attacks)

# %% a-attack-matrix-data
matrix = charts.attack_matrix(attacks).data
assert matrix[matrix["attack"] == "wrong amount"]["passed"].all()
matrix.groupby("attack", sort=False)["passed"].sum().to_dict()

# %% a-attack-all-asks [markdown]
# Those were seven. The catalogue has more, and for each somebody wrote down beforehand what every check must
# say. What is wrong while every check passes is a **blind spot**. What is right while a check fails is a
# **false alarm**.

# %% a-attack-all
more = attack_matrix(OUTSIDE)
for kind in KINDS:
    names = [each["name"] for each in more if each["kind"] == kind]
    print(f"{kind}, {len(names)} of {len(more)}: {'; '.join(names[:3])} ...")

# %% a-attack-aids [markdown]
# An aid can point at a number that no tool observed. It is a *finding* for whoever reads the answer, and never
# enters `passed`. Read the answer as a reviewer would: `lab review` shows it like this and asks four questions.

# %% a-attack-review
print(presentation(liar["cases"][0]))

# %% a-establishes-asks [markdown]
# **Task `establishes` (3 minutes).** `passed` is True for a report. What has been established?
#
# - a: the agent may be used
# - b: everything that the agent said is true
# - c: every named check of every attempt passed, and a person has to review what none of them graded
# - d: the agent is right on all shops

# %% a-establishes tags=["learner"]
# starter
establishes = TODO
# solution
establishes = "c"
# end
lessons.check("establishes", establishes)

# %% a-transfer-asks [markdown]
# ## Transfer
#
# **Task `deficits` (10 minutes).** Another shop, other words. Rows are dicts:
# `{"code": "A1", "on_shelf": 3, "promised": 0, "wanted": 5}`. Return `(code, missing)` for each row where
# something is missing, in the order of the rows. Leave the rows as they are.
#
# <details><summary>Hint 1</summary>It is the same arithmetic; only the names are others.</details>
# <details><summary>Hint 2</summary>available = on_shelf - promised.</details>
# <details><summary>Hint 3</summary>Keep a row only where something is missing, in the order of the rows.</details>


# %% a-transfer tags=["learner"]
# starter
def deficits(rows):
    return TODO


# solution
def deficits(rows):
    found = [
        (row["code"], row["wanted"] - (row["on_shelf"] - row["promised"]))
        for row in rows
    ]
    return [(code, missing) for code, missing in found if missing > 0]


# end


lessons.check("deficits", deficits)

# %% a-recall-asks [markdown]
# ## Recall, without looking back
#
# Three questions; a person reads the answers. What is the denominator of a score, and what happens to an
# attempt that crashed? Why is a fixture's 16/16 no evidence about a language model? What did you find that
# no check sees, and who could?

# %% a-recall tags=["learner"]
# starter
recall = TODO
# solution
recall = "All planned attempts; a crash is a failed one. It only does what it was written to do. The amount; a person."
# end
lessons.note("recall", recall)

# %% a-exit-asks [markdown]
# **Exit ticket.** One sentence to Lucy: what do you know about her agent now, and what not?

# %% a-exit tags=["learner"]
# starter
ticket = TODO
# solution
ticket = "It drafted the right tubs on eight cases; whether what it tells you is true, somebody has to read."
# end
lessons.note("exit ticket", ticket)

# %% a-save-asks [markdown]
# ## Save, check, hand over
#
# A report becomes one new file that nothing overwrites. Its digest proves later that the bytes are those
# that were saved. It does not prove that the grading was right or that anybody reviewed it.

# %% a-save
path, digest = save_report(lessons.work_folder(), report)
load_report(path, digest) == report, len(digest)

# %% a-progress
lessons.progress()

# %% a-submit [markdown]
# Save this notebook, then run the next cell with its file's name: it writes your submission folder and
# what Unit B begins with. (It is switched off here so that you decide when.)

# %% a-submit-cell
READY = False
if READY:
    lessons.hand_over()
    print(lessons.submit("unit_a.ipynb", [path]))
