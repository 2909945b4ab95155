"""The pages of the desk, as HTML from templates that escape whatever is put in, and as Markdown."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from lab import plain
from lab.classroom.alike import alike, copies
from lab.classroom.rows import Row
from lab.classroom.rubric import EVIDENCE, kind
from lab.classroom.verdicts import UNDECIDED, VERDICTS, Result
from lab.page.render import environment

OFTEN = 20
MEANING = {
    "NEEDS_WORK": "what you wrote was tried out, and is not right yet: mend it and hand in again",
    "NOT_TRIED": "there was nothing to look at",
    "TIME_LIMIT": "it was ended before it had answered; your instructor decides",
    "MEMORY_LIMIT": "it needed more memory than it was given; your instructor decides",
    "CRASHED": "it could not be carried out; your instructor decides",
    "TAMPERED": "it is not what was kept when you worked on it; your instructor decides",
    "UNREADABLE": "it could not be read: hand in the folder that lessons.submit() wrote, as it is",
    "HUMAN_REVIEW_REQUIRED": "your instructor reads it",
}
"""What a verdict means to a learner, and what comes next."""
DECIDED = {"decided": "of a part that says so, your instructor decided; the reason stands there"}
UNREAD = "not graded: it could not be read"

Seen = tuple[str, str, str]
"""A part, its verdict and, shortened, what shows it: what several learners may have alike."""
TONE = {"PASS": "good", "NEEDS_WORK": "work", "NOT_TRIED": "quiet"}
"""How the style sheet shows a verdict that nobody has to decide on."""


def feedback(row: Row, told: Mapping[str, Any]) -> str:
    """Return a learner's page, which names no hidden input and no answer."""
    return _render("feedback", row=row, told=told, read=for_a_person, meaning=meaning(row))


def feedback_markdown(row: Row, told: Mapping[str, Any]) -> str:
    """Return the same page for where no HTML is shown."""
    lines = [f"# {_plain(row.name)}", "", f"{points_in_words(row)}."]
    for result in row.results:
        lines += ["", f"## {result.unit or 'unreadable'}", ""]
        lines += [
            f"- **{_plain(name)}**: {_plain(part.verdict)}. {_plain(part.evidence)}"
            for name, part in result.parts.items()
        ]
        lines += [f"- {_plain(note)}" for note in result.notes]
        if read := for_a_person(result):
            lines += ["", f"Read by a person, and not scored here: {_plain(', '.join(read))}."]
    lines += ["", *(f"- {_plain(name)}: {_plain(says)}." for name, says in meaning(row).items())]
    return "\n".join([*lines, "", f"Checked with lab {told['lab_version']}.", ""])


def points_in_words(row: Row) -> str:
    """Say what a learner's points come to, and how much of that is open."""
    earned, at_most, of = (f"{value:g}" for value in row.points)
    told = f"{earned} of {of} points"
    if at_most != earned:
        told = f"{told} so far, {at_most} at the most"
    units = [result.unit for result in row.results]
    if None not in units:
        return told
    return f"{told}; what was handed in since is {UNREAD}" if any(units) else UNREAD


def meaning(row: Row) -> dict[str, str]:
    """Return what each verdict that turns up means, and what it means that a person decided."""
    parts = [part for result in row.results for part in result.parts.values()]
    seen = {part.verdict for part in parts if part.by is None}
    means = {verdict: says for verdict, says in MEANING.items() if verdict in seen}
    return means | (DECIDED if any(part.by is not None for part in parts) else {})


def for_a_person(result: Result) -> list[str]:
    """Return what of a submission a person will read, by kind and name."""
    return list(dict.fromkeys(f"{each['kind']} {each['name']}" for each in result.human))


def overview(rows: Sequence[Row], told: Mapping[str, Any]) -> str:
    """Return the instructor's page: what to look at, counts, common failures, what to read."""
    counted: dict[str, Counter[str]] = {}
    left: dict[Seen, list[Row]] = {}
    failed: dict[Seen, list[Row]] = {}
    handed_in: dict[str, list[Row]] = {}
    said: dict[str, dict[tuple[str, bool], list[Row]]] = {}
    against: Counter[str] = Counter()
    for row in rows:
        against.update(kept.hidden for kept in row.kept if kept.result.unit)
        handed_in.setdefault(_handed_in(row), []).append(row)
        for result in row.results:
            for name, part in result.parts.items():
                counted.setdefault(kind(name), Counter())[part.verdict] += 1
                if part.verdict not in ("PASS", "NOT_TRIED"):
                    called = f"{result.unit} {kind(name)}" if kind(name) in EVIDENCE else name
                    seen = (called, part.verdict, plain.shorten(part.evidence, 200))
                    group = left if part.verdict in UNDECIDED else failed
                    group.setdefault(seen, []).append(row)
            for each in result.human:
                alike_said = said.setdefault(f"{each['kind']} {each['name']}", {})
                alike_said.setdefault((each["said"], each["after_result"]), []).append(row)
    often = _most_first(failed)
    turned_up = {verdict for by in counted.values() for verdict in by}
    return _render(
        "overview",
        rows=rows,
        told=told,
        verdicts=[verdict for verdict in VERDICTS if verdict in turned_up],
        counted=counted,
        against=sorted(against.items()),
        open=[row for row in rows if row.undecided()],
        left=_most_first(left),
        absent=[row for row in rows if not row.is_given],
        often=often[:OFTEN],
        rarely=often[OFTEN:],
        handed_in=sorted(handed_in.items()),
        copies=copies(kept for row in rows for kept in row.kept),
        groups=alike(result for row in rows for result in row.results),
        said=sorted(said.items()),
    )


def _handed_in(row: Row) -> str:
    """Return in words what counts of a learner: of one unit alone the points look whole."""
    units = [result.unit for result in row.results if result.unit is not None]
    return " and ".join(units) if units[1:] else f"only {units[0]}" if units else "nothing readable"


def _most_first(groups: Mapping[Seen, list[Row]]) -> list[tuple[Seen, list[Row]]]:
    return sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))


def _plain(text: str) -> str:
    """Return text in which no Markdown and no control character does anything."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|!&" else c for c in shown)


def _render(name: str, **values: Any) -> str:
    return str(_environment().get_template(f"{name}.html.jinja").render(**values))


@cache
def _environment() -> Any:
    made = environment("lab.classroom")
    made.globals |= {"undecided": UNDECIDED, "tone": TONE, "in_words": points_in_words}
    return made
