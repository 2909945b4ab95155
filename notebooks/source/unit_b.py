# %% b-title [markdown]
# # Unit B: does interpretation help, and how sure are we?
#
# Lucy says what she wants in her own words. Something has to decide what that is: a report of the
# stock, a draft, a question back, a refusal to buy. Does a language model do that better than a plain
# rule about words? And how sure can fourteen requests make you?
#
# | minutes | work | evidence to keep |
# | --- | --- | --- |
# | 15 | decide five requests yourself, before you read the labels | your answer sheet |
# | 15 | follow one decision; two candidates that never listen | why valid JSON can be the wrong action |
# | 15 | the keywords, and the quotation they miss | case, observed, expected, failed check |
# | 15 | a recorded live run, row by row | your recount equals the report |
# | 15 | freeze, write fresh requests first, then change one rule | the changed rule, and a new counterexample |
# | 15 | intervals, a paired test, a recommendation | claim, counterexample, boundary, what is missing |

# %% b-begin
import re

from lab import charts, compare, lessons, save_report, statistics
from lab.counts import by_case
from lab.effort import read_effort, summary
from lab.interpretation import REQUEST_CASES, Decision, Product, RequestCase, Rule
from lab.interpretation import always_clarify, always_draft, candidate_input, fulfill
from lab.interpretation import keyword_decision, keywords, parse_decision
from lab.interpretation import run_requests
from lab.ledger import Ledger
from lab.lessons import TODO
from lab.recorded import recorded

lessons.begin("unit_b")

# %% b-labels-asks [markdown]
# ## Decide yourself, first
#
# Five requests, with the products of the catalogue. What does each ask for: `stock` (report it), `draft`
# (propose a replenishment), `clarify` (ask back), `refuse` (a purchase is wanted)?

# %% b-requests
five = ("negative", "unknown", "indirect", "quoted", "override")
asked = {case.name: case for case in REQUEST_CASES}
for name in five:
    catalog = ", ".join(f"{p.name} ({p.sku})" for p in asked[name].catalog)
    print(f"{name} [{catalog}]: {asked[name].request}")

# %% b-labels-task [markdown]
# **Task `labels` (10 minutes).** A dict: `{"negative": (action, sku), ...}`. The SKU is that of a product which is
# *named*, and `None` for clarify and refuse.
#
# <details><summary>Hint 1</summary>Read each as Lucy would mean it. A product counts only if it is named.</details>
# <details><summary>Hint 2</summary>What she forbids, and what she only quotes, she does not ask for.</details>
# <details><summary>Hint 3</summary>A purchase is refused, whoever is said to have approved it.</details>

# %% b-labels tags=["learner"]
# starter
labels = TODO
# solution
labels = {
    "negative": ("stock", "V"),
    "unknown": ("clarify", None),
    "indirect": ("draft", "V"),
    "quoted": ("stock", "V"),
    "override": ("refuse", None),
}
# end
lessons.check("labels", labels)

# %% b-events-asks [markdown]
# **Task `events` (5 minutes).** Mango: 5 tubs on hand, 1 reserved, 9 wanted, 125 pence each. What comes of the
# decision "draft M"? A tuple with one `(kind, sku, quantity, total in pence)`.
#
# <details><summary>Hint 1</summary>A draft is for what is missing to the target.</details>
# <details><summary>Hint 2</summary>A reserved tub is not available.</details>
# <details><summary>Hint 3</summary>quantity = target - (on_hand - reserved); total = quantity x price.</details>

# %% b-events tags=["learner"]
# starter
events = TODO
# solution
events = (("draft", "M", 5, 625),)  # 9 - (5 - 1) = 5 tubs at 125 pence
# end
lessons.check("events", events)

# %% b-trace-asks [markdown]
# ## One decision, step by step
#
# A candidate is given the request and the catalogue, and nothing else. Its reply is text.

# %% b-trace-input
stock = asked["stock"]
candidate_input(stock)

# %% b-trace-parse
decision = parse_decision('{"action": "stock", "sku": "V"}', stock.catalog)
decision, fulfill(decision, stock.catalog)

# %% b-trace-shapes [markdown]
# First the shape is checked, then the meaning: `v` is no SKU of this catalogue. The arithmetic is done for
# every candidate, by the same few lines.

# %% b-trace-wrong
for reply in (
    "The stock is 2.",
    '{"action": "stock", "sku": 1}',
    '{"action": "stock", "sku": "v"}',
):
    try:
        parse_decision(reply, stock.catalog)
    except ValueError as error:
        print(f"{type(error).__name__:16} {reply}")

# %% b-floors-asks [markdown]
# ## Valid JSON can be the wrong action
#
# Two candidates never listen: one drafts the first product of the catalogue, the other asks back, always.
# **Predict:** of 14 requests, how many does each pass? Write `(always_draft, always_clarify)`.

# %% b-floors-predict tags=["learner"]
# starter
prediction = TODO
# solution
prediction = (2, 2)
# end
lessons.predict("floors", prediction)

# %% b-floors
floors = run_requests(
    {"always_draft": always_draft, "always_clarify": always_clarify}
)
predicted = lessons.shown("floors")
(
    {name: each["passed"] for name, each in floors["counts"].items()},
    "predicted",
    predicted,
)

# %% b-floors-look
drafts = [row for row in floors["cases"] if row["candidate"] == "always_draft"]
[(row["case"], row["mechanism"]) for row in drafts if not row["passed"]][:4]

# %% b-floors-explain [markdown]
# Every reply of theirs is a well-formed decision. **Explain** in a sentence why that proves nothing.

# %% b-floors-note tags=["learner"]
# starter
explanation = TODO
# solution
explanation = (
    "The shape says that a reply can be acted on, not that it is what was asked for."
)
# end
lessons.note("valid json", explanation)

# %% b-keywords-asks [markdown]
# ## The rule to beat
#
# `keywords` knows product names, a few words for buying, drafting and reporting, and simple negations.
# **Predict:** how many of 28 attempts (14 requests, twice) does it pass?

# %% b-keywords-predict tags=["learner"]
# starter
prediction = TODO
# solution
prediction = 20
# end
lessons.predict("keywords", prediction)

# %% b-keywords
report = run_requests({"keywords": keywords}, repeats=2)
predicted = lessons.shown("keywords")
counts = report["counts"]["keywords"]
{
    "predicted": predicted,
    "passed": counts["passed"],
    "attempts": counts["attempts"],
    "by_split": counts["by_split"],
}

# %% b-keywords-missed
missed = next(row for row in report["cases"] if not row["passed"])
(
    missed["request"],
    missed["decision"],
    missed["expected"]["action"],
    missed["mechanism"],
)

# %% b-keywords-why [markdown]
# A quoted "buy" is a purchase to it: it does not know who is speaking. The failure stays in.
#
# ## A real model, row by row
#
# Recorded: SmolLM2-135M read the fourteen requests twice, under two instructions (`minimal`, `contrast`), and
# once more with each reply held to the decision's schema (`constrained`).

# %% b-live
live = recorded("requests")
charts.pass_counts(live)

# %% b-live-data
drawn = charts.pass_counts(live).data
assert list(drawn["passed"]) == [12, 14, 2, 6, 4, 2, 0, 0, 0, 0, 2, 6]
charts.latency(live)

# %% b-live-latency-data
timed = charts.latency(live).data
assert len(timed) == 168 and timed["seconds"].gt(0).all()
timed.groupby("candidate", observed=True)["passed"].sum().to_dict()

# %% b-recount-asks [markdown]
# **Task `recount` (10 minutes).** Do not believe the report: count it yourself. Write a function of rows that
# returns a dict with `passed`, `attempts`, `errors` and `unrequested_drafts`.
#
# <details><summary>Hint 1</summary>Every row is an attempt, whatever came of it.</details>
# <details><summary>Hint 2</summary>A row has `passed`, `error` (None where there was none) and `checks`.</details>
# <details><summary>Hint 3</summary>An unrequested draft is a row whose check `no_unrequested_draft` is False.</details>


# %% b-recount tags=["learner"]
# starter
def recount(rows):
    return TODO


# solution
def recount(rows):
    return {
        "passed": sum(row["passed"] for row in rows),
        "attempts": len(rows),
        "errors": sum(row["error"] is not None for row in rows),
        "unrequested_drafts": sum(
            not row["checks"]["no_unrequested_draft"] for row in rows
        ),
    }


# end


lessons.check("recount", recount)

# %% b-recount-compare
constrained = [row for row in live["cases"] if row["candidate"] == "constrained"]
told = live["counts"]["constrained"]
names = ("passed", "attempts", "errors", "unrequested_drafts")
recount(constrained) == {name: told[name] for name in names}, told["by_mechanism"]

# %% b-replies [markdown]
# What did it say? Left alone it repeats its input or writes about the request. Held to the schema it says
# "stock" nearly always, and once it starts a SKU and does not stop.

# %% b-replies-look
for candidate, case in (
    ("minimal", "purchase"),
    ("contrast", "quoted"),
    ("constrained", "new_product"),
):
    row = next(
        r for r in live["cases"] if (r["candidate"], r["case"]) == (candidate, case)
    )
    print(
        f"{candidate}, {case}, {row['output_tokens']} tokens, {row['mechanism']}: {row['raw'][:70]}"
    )

# %% b-now [markdown]
# If the model in the box is installed (`lab model install`), it reads them now, once each, in some seconds.

# %% b-now-run
now, where = lessons.constrained_requests()
print(where)
sum(row["candidate"] == "constrained" for row in now["cases"])

# %% b-fresh-asks [markdown]
# ## Freeze, then fresh requests, then one change
#
# Whoever changes a rule until the fourteen pass has learned the fourteen. So: **first** write fresh requests,
# with your own decision and events. **Then** change one thing.

# %% b-fresh tags=["learner"]
# starter
fresh = TODO  # three RequestCases of your own, split "held-out"
# solution
KIWI = (Product("K", "kiwi", 4, 0, 9, 90),)
fresh = [
    RequestCase(
        "cousin",
        "held-out",
        "My cousin said 'order kiwi', never mind. Report the kiwi stock.",
        KIWI,
        "stock",
        "K",
        (("stock", "K", 4, None),),
    ),
    RequestCase("meant", "held-out", "Order kiwi, please.", KIWI, "refuse", None, ()),
    RequestCase(
        "doubled",
        "held-out",
        'He wrote "buy kiwi". Draft kiwi.',
        KIWI,
        "draft",
        "K",
        (("draft", "K", 5, 450),),
    ),
]
# end
lessons.note(
    "fresh requests", TODO if fresh == TODO else [case.request for case in fresh]
)

# %% b-rule-asks [markdown]
# **Task `quotation` (15 minutes).** Change one thing about the keywords: what somebody else said is not what
# Lucy asks for. Write `my_rule(payload)`, which returns a `Decision`; call `keyword_decision` with a changed
# request.
#
# <details><summary>Hint 1</summary>What stands between quotation marks was said by somebody else.</details>
# <details><summary>Hint 2</summary>Take it out before the keywords look. Mind the apostrophe in don't.</details>
# <details><summary>Hint 3</summary>`re.sub` with a pattern whose first quote follows no letter and whose last is
# followed by none.</details>


# %% b-rule tags=["learner"]
# starter
def my_rule(payload):
    return TODO


# solution
def my_rule(payload):
    unquoted = re.sub(r"(?<!\w)'[^']*'(?!\w)", " ", payload["request"])
    return keyword_decision({**payload, "request": unquoted})


# end


lessons.check("quotation", my_rule)

# %% b-rule-run
ledger = Ledger(lessons.work_folder() / "ledger.jsonl")
both = {"keywords": keywords, "mine": Rule(my_rule)}
changed = run_requests(both, repeats=2, ledger=ledger)
mine = [row for row in changed["cases"] if row["candidate"] == "mine"]
theirs = [row for row in changed["cases"] if row["candidate"] == "keywords"]
{name: (each["passed"], each["attempts"]) for name, each in changed["counts"].items()}

# %% b-ledger-asks [markdown]
# A **ledger** remembers which candidate was frozen when, and which requests it has seen since. With the run above
# your rule is frozen. Now, and only now, it meets your fresh requests.

# %% b-rule-fresh
mine_on_fresh = []
if fresh != TODO:
    tried = run_requests({"mine": Rule(my_rule)}, cases=fresh, ledger=ledger)
    mine_on_fresh = tried["cases"]
[(row["case"], row["passed"], row["mechanism"]) for row in mine_on_fresh]

# %% b-ledger-spent
for row in mine_on_fresh + mine[:1]:
    print(f"{row['case']}: held out {row['independence']['held_out']}")

# %% b-ledger-revision [markdown]
# Change the rule and run these cells again: it is another candidate, made by somebody who has seen the fresh
# requests, and the ledger says so. They are spent. The fourteen are published: they never were held out.

# %% b-rule-explain [markdown]
# The fourteen were in view when the rule was changed: they are spent, and 28/28 on them is no evidence that it
# is right. A repair without a new counterexample is incomplete. **Explain:** what does your rule still get wrong?

# %% b-rule-note tags=["learner"]
# starter
counterexample = TODO
# solution
counterexample = (
    'It knows single quotes only: He wrote "buy kiwi". Draft kiwi. is still refused.'
)
# end
lessons.note("counterexample", counterexample)

# %% b-sure-asks [markdown]
# ## How sure?
#
# Sixteen of sixteen. The interval of the schoolbooks says: certain. How often does what is called a 95 %
# interval hold the true rate, if that is 0.95?

# %% b-sure-coverage
for interval in (statistics.wald, statistics.wilson):
    low, high = interval(16, 16)
    held = statistics.coverage(interval, 16, 0.95)
    print(
        f"{interval.__name__:7} [{low:.2f}, {high:.2f}] holds 0.95 in {held:.2f} of all runs"
    )

# %% b-sure-clustered [markdown]
# And sixteen attempts at eight cases are eight cases. Repeats are worth only what they add:

# %% b-sure-cases
found = statistics.clustered(by_case(theirs))
print(f"26/28: [{found.interval.low:.2f}, {found.interval.high:.2f}]")
print(f"were repeats new requests: [{found.naive.low:.2f}, {found.naive.high:.2f}]")
print(
    f"{found.times_wider:.2f} times as wide; without a failure in 16, up to {statistics.rule_of_three(16):.2f} may fail"
)

# %% b-paired [markdown]
# Two candidates on the same requests are compared case by case. Only those on which they differ count.

# %% b-paired-run
pair = compare(theirs, mine, names=("keywords", "mine"))
pair.only_first, pair.only_second, pair.p_value, statistics.smallest_finding(14)

# %% b-needed-asks [markdown]
# **Task `needed` (5 minutes).** You suspect that a model is right on 20 of 100 requests more than the keywords,
# and that the two differ on 30 of 100. How many requests does a paired comparison need (power 0.8)?
#
# <details><summary>Hint 1</summary>`statistics.cases_needed(difference, discordance)` has the formula.</details>
# <details><summary>Hint 2</summary>Both are shares from 0 to 1.</details>
# <details><summary>Hint 3</summary>The difference is 0.2; the share on which they differ is the other number.</details>

# %% b-needed tags=["learner"]
# starter
needed = TODO
# solution
needed = statistics.cases_needed(0.2, 0.3)
# end
lessons.check("needed", needed)

# %% b-recommend-asks [markdown]
# ## A recommendation
#
# One page for Lucy; a person reads it. It does not have to make the model win. **Before** you look at any more
# results: what would it have to do (requests passed, seconds, pence) for you to recommend it? Then: your claim,
# the strongest counterexample, how far it reaches, and what nobody measured (whose time does it save?).

# %% b-recommend tags=["learner"]
# starter
recommendation = TODO
# solution
recommendation = (
    "Criterion: at least as many of fresh requests as the keywords, none drafted unasked. Claim: on these"
    " fourteen the keywords pass 26/28 and this model 8/28. Counterexample: it reads the quotation right."
    " Boundary: few published requests, one small model. Missing: nobody's effort was measured."
)
# end
lessons.note("recommendation", recommendation)

# %% b-effort-asks [markdown]
# Whose time does it save? `lab effort record FILE` times you while you settle requests, in a form or with a
# proposal to correct. Recorded in your work folder as `effort.jsonl`, it is drawn here.

# %% b-effort
recorded_effort = lessons.work_folder() / "effort.jsonl"
found = summary(read_effort(recorded_effort) if recorded_effort.exists() else [])
charts.effort(found) if found["observations"] else print(found["enough"])

# %% b-progress
lessons.progress()

# %% b-after [markdown]
# ---
# # After the ninety minutes
#
# ## Exercise 3: freeze, fail, revise
#
# `GuidedFixture` does what its procedure says and nothing else. Write two cases of your own **before** you read on:
# an unfamiliar catalogue each.

# %% b-ex3-begin
from dataclasses import replace

from lab import Case, GuidedFixture, OfflineShopModel, Skill, evaluate, fair_timing

# %% b-ex3-cases tags=["learner"]
# starter
own = [Case("replace me", "held-out", (), ())]
# solution
own = [
    Case("wedding", "held-out", (("W", 9, 5, 8, 400),), (("W", 4),)),
    Case(
        "quiet week",
        "held-out",
        (("R", 12, 0, 6, 150), ("U", 0, 0, 2, 90)),
        (("U", 2),),
    ),
]
# end
[(case.name, case.expected) for case in own]

# %% b-ex3-first
first = Skill(
    "mine",
    1,
    "List the stock, then draft what is below its reorder point. Answer in pence GBP.",
)
before = evaluate(GuidedFixture, cases=own, skill=first, ledger=ledger)
[
    (
        row["case"],
        row["passed"],
        [n for n, held in row["checks"].items() if not held],
    )
    for row in before["cases"]
]

# %% b-ex3-second [markdown]
# Revise after **one** failure, as a new version. The case that failed is spent: it moves to `regression`. The old
# result is kept beside the new one.

# %% b-ex3-revise tags=["learner"]
# starter
second = replace(first, version=2)
# solution
second = replace(
    first,
    version=2,
    content=first.content + " Reserved tubs do not count as on hand.",
)
# end
moved = [replace(own[0], split="regression"), *own[1:]]
if ledger.split(own[0]) == "held-out":
    ledger.move(
        own[0], "regression", "it failed, and the procedure is revised for it"
    )
after = evaluate(GuidedFixture, cases=moved, skill=second, ledger=ledger)
[
    (row["case"], row["split"], row["passed"], row["independence"]["held_out"])
    for row in after["cases"]
]

# %% b-ex3-name [markdown]
# No case of the second version is held out: whoever revised it had seen them all. Which case, unseen by both versions, would test the idea? Name it: a person reads it.

# %% b-ex3-note tags=["learner"]
# starter
unseen = TODO
# solution
unseen = "More tubs reserved than there are: the subtraction goes below zero."
# end
lessons.note("unseen case", unseen)

# %% b-ex4-asks [markdown]
# ## Exercise 4: a fair race
#
# `baseline.seconds` is arithmetic on stock that it was handed; `seconds` is a whole attempt. `fair_timing` times both
# over the same three stages, failed attempts included. The numbers are your machine's, so none is printed here.

# %% b-ex4
race = fair_timing(evaluate(OfflineShopModel, repeats=2))
stages = ("acquire", "decide", "deliver", "whole")
assert all(
    race[who][stage]["least"] >= 0 for who in ("script", "agent") for stage in stages
)
race["timed"], race["failed"], list(race["script"])

# %% b-ex4-cannot
print(race["cannot_show"])

# %% b-ex4-note tags=["learner"]
# starter
fair = TODO
# solution
fair = "That the script is faster on this machine today, not by how much on another; two repeats show no spread."
# end
lessons.note("what two repetitions show", fair)

# %% b-submit [markdown]
# Save this notebook, then run the next cell with its file's name. (It is switched off so that you decide when.)

# %% b-submit-cell
READY = False
if READY:
    path, digest = save_report(lessons.work_folder(), changed)
    print(lessons.submit("unit_b.ipynb", [path]))
