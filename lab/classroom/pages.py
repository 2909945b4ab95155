"""The pages of the desk as HTML, from templates that escape whatever is put in."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from lab import plain
from lab.classroom.alike import alike
from lab.classroom.verdicts import VERDICTS, Result

OFTEN = 20


def feedback(result: Result) -> str:
    """Return a learner's page, which names no hidden input and no answer."""
    return _render("feedback", result=result, read=for_a_person(result))


def for_a_person(result: Result) -> list[str]:
    """Return what of a submission a person will read, by kind and name."""
    return list(dict.fromkeys(f"{each['kind']} {each['name']}" for each in result.human))


def overview(results: Sequence[Result], told: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """Return the instructor's page: counts, common failures, alike functions, what to read.

    `files` has the page of each learner.
    """
    counted: dict[str, Counter[str]] = {}
    failed: dict[tuple[str, str, str], list[str]] = {}
    said: dict[str, list[tuple[Result, dict[str, Any]]]] = {}
    for result in results:
        for name, part in result.parts.items():
            kind = "report" if name.endswith(".json") else name  # each has a name of its own
            counted.setdefault(kind, Counter())[part.verdict] += 1
            if part.verdict not in ("PASS", "NOT_TRIED"):
                why = plain.shorten(part.evidence, 200)
                failed.setdefault((kind, part.verdict, why), []).append(result.name)
        for each in result.human:
            said.setdefault(f"{each['kind']} {each['name']}", []).append((result, each))
    often = sorted(failed.items(), key=lambda item: (-len(item[1]), item[0]))
    return _render(
        "overview",
        results=results,
        told=told,
        files=files,
        verdicts=VERDICTS,
        counted=counted,
        often=often[:OFTEN],
        rarely=len(often) - OFTEN,
        groups=alike(results),
        said=sorted(said.items()),
    )


def _render(name: str, **values: Any) -> str:
    return str(_environment().get_template(f"{name}.html.jinja").render(**values))


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("lab.classroom"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )


def _visible(value: Any) -> Any:
    """Return text without what no browser shows; what is not text, as it is."""
    if type(value) is not str:
        return value
    return "".join(c if c.isprintable() or c == "\n" else " " for c in value)
