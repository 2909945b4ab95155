"""What an instructor gets: results, a gradebook, a page a learner, what a person has to read.

No page of a learner names a hidden input or an answer.
"""

import csv
import html
import io
import json
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lab import plain
from lab.classroom.check import VERDICTS, Result
from lab.errors import InputError
from lab.lessons.unit import TASKS

UNDECIDED = frozenset({"TIME_LIMIT", "MEMORY_LIMIT", "CRASHED", "TAMPERED", "UNREADABLE"})
"""Verdicts that are worth nothing and cost nothing until a person has decided."""
PARTS = tuple(task.name for tasks in TASKS.values() for task in tasks)
COLUMNS = ("learner", "unit", *PARTS, "manifest", "diary", "points", "of", "undecided")
LATE = " (after the result)"
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def load_rubric(path: str | Path | None) -> dict[str, float]:
    """Return the weight of each part: one each, or as `[weights]` of a TOML file says.

    InputError names the file and the entry that is no part or no weight.
    """
    weights: dict[str, float] = dict.fromkeys(PARTS, 1)
    if path is None:
        return weights
    try:
        told = tomllib.loads(Path(path).read_text("utf-8"))["weights"].items()
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise InputError(f"{path}: no rubric with [weights]: {plain.reason(error)}") from None
    for name, weight in told:
        if name not in weights or type(weight) not in (int, float) or not 0 <= weight < 1e6:
            raise InputError(f"{path}: weights: {name} = {weight!r}: no part, or no weight from 0")
        weights[name] = weight
    return weights


def points(result: Result, weights: Mapping[str, float]) -> tuple[float, float, list[str]]:
    """Return points earned, points possible, and the parts that a person has to decide first."""
    mine = [task.name for task in TASKS[result.unit]] if result.unit else []
    verdicts = {name: result.parts[name].verdict for name in mine}
    earned = sum(weights[name] for name, verdict in verdicts.items() if verdict == "PASS")
    open_parts = [name for name, verdict in verdicts.items() if verdict in UNDECIDED]
    return earned, sum(weights[name] for name in mine), open_parts


def gradebook(results: Sequence[Result], weights: Mapping[str, float]) -> str:
    """Return one CSV line a learner, in which nothing is a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for result in results:
        earned, of, open_parts = points(result, weights)
        unread = result.parts.get("submission")
        cells = {name: part.verdict for name, part in result.parts.items()}
        row: dict[str, Any] = {
            **cells,
            "learner": result.name,
            "unit": result.unit or (unread.verdict if unread else ""),
            "points": f"{earned:g}",
            "of": f"{of:g}",
            "undecided": " ".join(open_parts),
        }
        writer.writerow([_cell(str(row.get(name, ""))) for name in COLUMNS])
    return out.getvalue()


def _cell(text: str) -> str:
    plainly = "".join(c for c in text if c.isprintable())
    return f"'{plainly}" if text.startswith(FORMULA) else plainly


def results_json(results: Sequence[Result], told: Mapping[str, Any]) -> str:
    """Return everything, hidden evidence too, for the instructor alone."""
    return (
        json.dumps({**told, "submissions": [each.as_data() for each in results]}, indent=1) + "\n"
    )


def feedback_markdown(result: Result) -> str:
    """Return a learner's page: what each part came to, what to look at, what a person will read."""
    lines = [f"# {_plain(result.name)}", ""]
    lines += [
        f"- **{name}**: {part.verdict}. {_plain(part.evidence)}"
        for name, part in result.parts.items()
    ]
    lines += [f"- {_plain(note)}" for note in result.notes]
    read = ", ".join(dict.fromkeys(f"{each['kind']} {each['name']}" for each in result.human))
    if read:
        lines += ["", f"Read by a person, and not scored here: {_plain(read)}."]
    return "\n".join(lines) + "\n"


def feedback_html(result: Result) -> str:
    """Return the same page for a browser."""
    rows = "".join(
        f"<tr><th>{_safe(name)}</th><td>{part.verdict}</td><td>{_safe(part.evidence)}</td></tr>"
        for name, part in result.parts.items()
    )
    notes = "".join(f"<li>{_safe(note)}</li>" for note in result.notes)
    read = ", ".join(dict.fromkeys(f"{each['kind']} {each['name']}" for each in result.human))
    after = f"<p>Read by a person, and not scored here: {_safe(read)}.</p>" if read else ""
    return _page(result.name, f"<table>{rows}</table><ul>{notes}</ul>{after}")


def overview_html(results: Sequence[Result], told: Mapping[str, Any]) -> str:
    """Return the instructor's page: counts by part, what often fails, what a person has to read."""
    counted: dict[str, Counter[str]] = {}
    failures: Counter[tuple[str, str]] = Counter()
    for result in results:
        for name, part in result.parts.items():
            counted.setdefault(name, Counter())[part.verdict] += 1
            if part.verdict not in ("PASS", "NOT_TRIED"):
                failures[name, part.hidden or part.evidence] += 1
    head = "".join(f"<th>{verdict}</th>" for verdict in VERDICTS)
    body = "".join(
        f"<tr><th>{_safe(name)}</th>{cells}</tr>"
        for name, by in counted.items()
        for cells in ["".join(f"<td>{by[v]}/{by.total()}</td>" for v in VERDICTS)]
    )
    often = "".join(
        f"<li>{count} of {len(results)}: {_safe(name)}: {_safe(plain.shorten(why, 200))}</li>"
        for (name, why), count in failures.most_common(20)
    )
    queue = "".join(
        f"<tr><td>{_safe(result.name)}</td><td>{_safe(each['name'])}</td>"
        f"<td>{_safe(each['said'])}{LATE if each['after_result'] else ''}</td></tr>"
        for each, result in sorted(
            ((each, result) for result in results for each in result.human),
            key=lambda pair: (pair[0]["name"], pair[1].name),
        )
    )
    return _page(
        f"{len(results)} submissions",
        f"<p>{_safe(told['isolation'])}. Hidden trials: {_safe(told['holdouts'] or 'none')}.</p>"
        f"<h2>Verdicts by part</h2><table><tr><td></td>{head}</tr>{body}</table>"
        f"<h2>What often fails</h2><ul>{often}</ul>"
        f"<h2>For a person to read: HUMAN_REVIEW_REQUIRED</h2><table>{queue}</table>",
    )


def _plain(text: str) -> str:
    """Return text in which no Markdown and no control character does anything."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|!" else c for c in shown)


def _safe(text: object) -> str:
    return html.escape("".join(c if c.isprintable() else " " for c in str(text)))


def _page(title: str, body: str) -> str:
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    style = (
        "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
        "color-scheme:light dark}table{border-collapse:collapse}th,td{text-align:left;"
        "vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8888}"
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><title>{_safe(title)}</title>'
        f"<style>{style}</style></head><body><h1>{_safe(title)}</h1>{body}</body></html>\n"
    )
