"""Figures that state their finding, draw every attempt, and can be read without being seen.

A `Chart` shows itself in a notebook as a picture and, beside it, as words; `data` is exactly what
is drawn. Nothing is told by colour alone: what failed has another mark, and all is black on white.
"""

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab import frames, plain, rates
from lab.attacks.attack import KINDS
from lab.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Report = dict[str, Any]

WIDTH, ROW, MARGIN = 8.0, 0.42, 1.7
"""Inches: as wide as a notebook, so high a line, so much for title and axis."""
DPI = 110
LONGEST_NAME, LONGEST_TITLE = 48, 160


@dataclass(frozen=True)
class Chart:
    """A figure, its finding, and what it says in words."""

    title: str
    caption: str
    alt: str
    data: "pd.DataFrame"
    figure: "Figure" = field(repr=False)

    def png(self) -> bytes:
        """Return the picture."""
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
        return buffer.getvalue()

    def save(self, path: str | Path) -> Path:
        """Write the picture to a new file; FileExistsError where there is one."""
        with Path(path).open("xb") as file:
            file.write(self.png())
        return Path(path)

    def words(self) -> str:
        """Return finding, alt text and caption, as a notebook keeps them beside the picture."""
        return f"{self.title}\n{self.alt}\n{self.caption}"

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        picture = base64.b64encode(self.png()).decode()
        data = {"image/png": picture, "text/plain": self.words()}
        return data, {"image/png": {"alt": self.alt}}


def latency(report: Report) -> Chart:
    """Draw the seconds of every attempt by candidate, failed ones marked, medians labelled."""
    table = frames.attempts(report)[["candidate", "case", "repetition", "seconds", "passed"]]
    drawn = table[table["seconds"].notna()].reset_index(drop=True)
    if drawn.empty:
        raise InputError("charts: no attempt was timed, so there are no seconds to draw")
    names = list(drawn["candidate"].cat.categories)
    medians = {name: float(drawn[drawn["candidate"] == name]["seconds"].median()) for name in names}
    figure, axes = _axes(len(names))
    for place, name in enumerate(names):
        mine = drawn[drawn["candidate"] == name]
        for passed in (True, False):
            points = mine[mine["passed"] == passed]["seconds"]
            heights = [place + _step(number) for number in range(len(points))]
            if passed:
                axes.scatter(points, heights, s=26, facecolors="none", edgecolors="black")
            else:
                axes.scatter(points, heights, s=26, color="black", marker="x")
        axes.plot([medians[name]] * 2, [place - 0.4, place + 0.4], color="black", linewidth=2)
        _label_line(axes, place, f"median {_duration(medians[name])}")
    axes.set_xscale("log")
    axes.set_xlabel("seconds an attempt, logarithmic")
    _name_lines(axes, names)
    fastest, slowest = min(medians, key=medians.__getitem__), max(medians, key=medians.__getitem__)
    failed = int((~drawn["passed"].astype(bool)).sum())
    unknown = len(table) - len(drawn)
    told = "; ".join(
        f"{name}: median {_duration(medians[name])},"
        f" most {_duration(float(drawn[drawn['candidate'] == name]['seconds'].max()))}"
        for name in names
    )
    title = f"{fastest} takes {_duration(medians[fastest])} at the median"
    if fastest != slowest:
        title += f", {slowest} {_duration(medians[slowest])}"
    return _chart(
        figure,
        title=title,
        caption=(
            f"All {len(drawn)} timed attempts: circles passed, crosses failed ({failed}), bars are"
            f" medians; {unknown} were never timed. A failed attempt that ended sooner was not"
            " faster."
        ),
        alt=f"Seconds of every attempt on a logarithmic axis, by candidate. {told}.",
        data=drawn,
    )


def pass_counts(report: Report, by: str = "split") -> Chart:
    """Draw passed/attempts with intervals, a line for each split or check of each candidate."""
    import pandas as pd

    if by not in ("split", "check"):
        raise InputError(f"charts: by: {by!r} is not 'split' or 'check'")
    found = rates.report_rates(report)
    groups = found if report.get("kind") == "requests" else {"": found}
    lines = [
        {"line": f"{candidate}, {name}" if candidate else name, **each}
        for candidate, rated in groups.items()
        for name, each in rated[f"by_{by}"].items()
    ]
    drawn = pd.DataFrame(lines)[["line", "passed", "attempts", "cases", "low", "high"]]
    figure, axes = _axes(len(drawn))
    for place, line in enumerate(drawn.to_dict("records")):
        axes.plot([line["low"], line["high"]], [place, place], color="black", linewidth=1.5)
        axes.scatter([line["passed"] / line["attempts"]], [place], s=36, color="black", zorder=3)
        _label_line(axes, place, f"{line['passed']}/{line['attempts']}")
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel(f"share of attempts passed; lines: {rates.MEANING}", fontsize=8)
    _name_lines(axes, list(drawn["line"]))
    every = {name or "the candidate": rated["passed"] for name, rated in groups.items()}
    told = ", ".join(f"{name} passes {rates.text(each)}" for name, each in every.items())
    each_line = "; ".join(f"{line['line']} {rates.text(line)}" for line in lines)
    return _chart(
        figure,
        title=_finding(every),
        caption=f"{told[0].upper()}{told[1:]}. {rates.MEANING[0].upper()}{rates.MEANING[1:]}.",
        alt=f"Share of attempts passed by {by}, with intervals. {each_line}.",
        data=drawn,
    )


def attack_matrix(attacks: Sequence[Mapping[str, Any]]) -> Chart:
    """Draw what each check said of each attack: attack by check, words in every cell.

    `attacks` is what `lab.attacks.attack_matrix` returns.
    """
    if not attacks:
        raise InputError("charts: there are no attacks to draw")
    drawn = frames.attacks(attacks)
    names, checks = list(drawn["attack"].cat.categories), list(drawn["check"].cat.categories)
    kinds = {attack["name"]: attack["kind"] for attack in attacks}
    figure, axes = _axes(len(names), high=2.6)
    for line in drawn.to_dict("records"):
        place = checks.index(line["check"]), names.index(line["attack"])
        if not line["passed"]:
            axes.scatter(*place, marker="s", s=620, color="black")
        word, colour = ("ok", "black") if line["passed"] else ("NO", "white")
        axes.annotate(word, place, ha="center", va="center", fontsize=9, color=colour)
    for line_number, name in enumerate(names):
        _label_line(axes, line_number, kinds[name])
    axes.set_xlim(-0.6, len(checks) - 0.4)
    axes.set_xticks(range(len(checks)), checks, rotation=35, ha="right", fontsize=8)
    _name_lines(axes, names)
    caught, unseen, alarms = ([n for n in names if kinds[n] == kind] for kind in KINDS)
    title = f"{len(caught)} of {len(names)} attacks are caught"
    title += f"; no check sees {_few(unseen)}" if unseen else ""
    title += f"; right and failed: {_few(alarms)}" if alarms else ""
    failed = {name: drawn[(drawn["attack"] == name) & ~drawn["passed"]]["check"] for name in names}
    told = "; ".join(f"{n}, {kinds[n]}: {', '.join(by) or 'no check'}" for n, by in failed.items())
    return _chart(
        figure,
        title=title,
        caption="Black: the check failed this attack. Caught: wrong, and a check fails. Blind spot:"
        " wrong, and every check passes. False alarm: right, and a check fails.",
        alt=f"Attack by check. Failed by: {told}.",
        data=drawn,
    )


def _few(names: Sequence[str]) -> str:
    return f"{names[0]!r}" if len(names) == 1 else f"{len(names)} of them"


def effort(summary: Mapping[str, Any]) -> Chart:
    """Draw a person's seconds by way, least to most with the median, beside being right."""
    import pandas as pd

    if not summary["ways"]:
        raise InputError("charts: no effort has been recorded yet, so there is nothing to draw")
    drawn = pd.DataFrame(
        [
            {"way": way, **each["seconds"], **{n: each["right"][n] for n in ("passed", "attempts")}}
            for way, each in summary["ways"].items()
        ]
    )
    figure, axes = _axes(len(drawn))
    for place, line in enumerate(drawn.to_dict("records")):
        axes.plot([line["least"], line["most"]], [place, place], color="black", linewidth=1.5)
        axes.scatter([line["median"]], [place], s=36, color="black", zorder=3)
        _label_line(axes, place, f"right {line['passed']}/{line['attempts']}")
    axes.set_xlim(left=0)
    axes.set_xlabel("seconds of a person's time a request: least, median, most")
    _name_lines(axes, list(drawn["way"]))
    told = "; ".join(
        f"{way}: median {each['seconds']['median']:.1f} s, right {rates.text(each['right'])}"
        for way, each in summary["ways"].items()
    )
    return _chart(
        figure,
        title=f"{summary['observations']} observations of a person's effort",
        caption=summary["enough"],
        alt=f"Seconds of human time by way of coming to a decision. {told}.",
        data=drawn,
    )


def _axes(lines: int, high: float = MARGIN) -> "tuple[Figure, Axes]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, high + ROW * max(2, lines) * 1.3), layout="constrained")
    return figure, figure.add_subplot()


def _chart(figure: "Figure", **said: Any) -> Chart:
    import textwrap

    figure.suptitle(
        _drawn(textwrap.fill(plain.shorten(said["title"], LONGEST_TITLE), 88)),
        x=0.01,
        ha="left",
        fontsize=11,
    )
    figure.supxlabel(_drawn(textwrap.fill(said["caption"], 110)), fontsize=8, x=0.01, ha="left")
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # settled: every picture of it is the same
    return Chart(figure=figure, **said)


def _drawn(text: str) -> str:
    """Return text as it is drawn: no formula begins in it, and no control character is in it."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text).replace("$", r"\$")


def _name_lines(axes: "Axes", names: Sequence[str]) -> None:
    shown = [_drawn(plain.shorten(name.replace("\n", " "), LONGEST_NAME)) for name in names]
    axes.set_yticks(range(len(names)), shown, fontsize=9)
    axes.set_ylim(len(names) - 0.4, -0.7)
    axes.spines[["top", "right"]].set_visible(False)


def _label_line(axes: "Axes", place: int, words: str) -> None:
    """Write something at the right end of a line, outside of what is drawn."""
    axes.annotate(
        words,
        (1.02, place),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize=9,
        annotation_clip=False,
    )


def _step(number: int) -> float:
    """Spread points of one line over its height, the same way every time."""
    return ((number * 7) % 11 - 5) / 20


def _finding(every: Mapping[str, rates.Rate]) -> str:
    def share(name: str) -> float:
        return float(every[name]["passed"] / every[name]["attempts"])

    def count(name: str) -> str:
        return f"{every[name]['passed']}/{every[name]['attempts']}"

    best, worst = max(every, key=share), min(every, key=share)
    if best == worst:
        return f"{best[0].upper()}{best[1:]} passes {count(best)} attempts"
    return f"{best} passes {count(best)} attempts, {worst} {count(worst)}"


def _duration(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1000:.3g} ms"
