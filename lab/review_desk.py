"""A reviewer at a terminal: one retained answer after another, four questions about each."""

from collections.abc import Callable
from pathlib import Path

from lab.calibration import LABELS, Reviewer
from lab.grading import Row
from lab.review import ANSWERS, QUESTIONS, Judgement, Review, presentation, refuse_nameless
from lab.terminal import printable

Ask = Callable[[str], str]
Say = Callable[[object], None]
KEYS: dict[str, str] = {name[0]: name for name in ANSWERS} | {name: name for name in ANSWERS}


WORDS = {name[0]: name for name in LABELS} | {name: name for name in LABELS}


class Stop(Exception):
    """The reviewer wants to go on another time."""


def review_at_terminal(
    report: str | Path, reviewer: str, *, ask: Ask = input, say: Say = print
) -> Review:
    """Walk a reviewer through what they have not judged yet; each judgement is kept at once.

    `q` at any question stops: the answer at hand is asked about again next time. The end of the
    input, or Ctrl-C, stops too.
    """
    review = Review(report)
    refuse_nameless(reviewer)
    left = review.to_do(reviewer)
    for number, key in enumerate(left, start=1):
        say(f"\n--- {number} of {len(left)} ---")
        for line in presentation(review.rows[key]).splitlines():
            say(printable(line))
        try:
            review.add(_judgement(key, ask, say), reviewer)
        except (Stop, EOFError, KeyboardInterrupt):
            say(f"\nstopped; {len(left) - number + 1} left for another time")
            break
    return review


def person_reviewer(*, ask: Ask = input, say: Say = print) -> Reviewer:
    """Return a person at this terminal as a reviewer that can be calibrated."""

    def judged(row: Row) -> str:
        say("\n---")
        for line in presentation({"case": "an answer", "repetition": 1, **row}).splitlines():
            say(printable(line))
        while (said := _text("[g]ood [o]bjection [u]nclear: ", ask).lower()) not in WORDS:
            say("g, o or u")
        return WORDS[said]

    return judged


def _judgement(key: tuple[str, int], ask: Ask, say: Say) -> Judgement:
    said = {name: _answer(question, ask, say) for name, question in QUESTIONS.items()}
    ambiguous = _text("Wording that reads two ways, or nothing: ", ask)
    note = _text("A note, or nothing: ", ask)
    return Judgement(case=key[0], repetition=key[1], ambiguous=ambiguous, note=note, **said)


def _answer(question: str, ask: Ask, say: Say) -> str:
    while True:
        entered = _text(f"{question} [y]es [n]o [u]nclear [q]uit: ", ask).lower()
        if entered in KEYS:
            return KEYS[entered]
        say("y, n, u or q")


def _text(question: str, ask: Ask) -> str:
    said = ask(question).strip()
    if said.lower() in ("q", "quit"):
        raise Stop
    return said
