"""Figures draw what the tables hold, and say in words what they draw."""

import base64
from pathlib import Path
from typing import Any

import matplotlib.image
import pytest

from lab import charts, frames
from lab.cases import CASES
from lab.checkpoint import checkpoint
from lab.effort import summary
from lab.errors import InputError
from lab.evaluation import evaluate
from lab.evidence import load_report
from lab.interpretation import keywords, run_requests
from lab.shop.fixtures import OfflineShopModel
from tests.test_effort import RIGHT, record

LIVE = Path(__file__).parents[1] / "fixtures" / "live"


@pytest.fixture(scope="module")
def recorded() -> Any:
    return load_report(LIVE / "requests-20261201.json")


def points(chart: charts.Chart) -> list[tuple[float, str]]:
    """Every point that is drawn, with its kind of mark, from the figure itself."""
    collections: list[Any] = list(chart.figure.axes[0].collections)
    return [
        (float(x), "filled" if len(collection.get_facecolor()) else "open")
        for collection in collections
        for x, _ in collection.get_offsets()
    ]


def texts(chart: charts.Chart) -> list[str]:
    return [text.get_text() for text in chart.figure.axes[0].texts]


def test_latency_draws_every_attempt_and_marks_the_failed(recorded: Any) -> None:
    chart = charts.latency(recorded)
    table = frames.attempts(recorded)
    drawn = points(chart)
    assert len(drawn) == 168
    assert sorted(x for x, _ in drawn) == sorted(table["seconds"])
    failed = table[~table["passed"].astype(bool)]["seconds"]
    assert sorted(x for x, mark in drawn if mark == "filled") == sorted(failed)
    axes = chart.figure.axes[0]
    assert (axes.get_xscale(), axes.get_xlabel()) == ("log", "seconds an attempt, logarithmic")
    assert texts(chart) == [
        "median 0.148 ms",
        "median 0.0705 ms",
        "median 0.0545 ms",
        "median 0.91 s",
        "median 1.14 s",
        "median 0.47 s",
    ]
    assert chart.title == "always_clarify takes 0.0545 ms at the median, contrast 1.14 s"
    assert "crosses failed (120)" in chart.caption
    assert "constrained: median 0.47 s, most 4.10 s" in chart.alt


def test_latency_says_how_many_were_never_timed() -> None:
    class Stops(OfflineShopModel):
        made = 0

        def __init__(self) -> None:
            Stops.made += 1
            if Stops.made > 2:
                raise KeyboardInterrupt

    chart = charts.latency(evaluate(Stops, cases=CASES[:5]))
    assert len(points(chart)) == 2
    assert "3 were never timed" in chart.caption


def test_pass_counts_draw_the_rates_with_their_intervals(recorded: Any) -> None:
    chart = charts.pass_counts(recorded)
    assert texts(chart) == [
        "12/12", "14/16", "2/12", "6/16", "4/12", "2/16",
        "0/12", "0/16", "0/12", "0/16", "2/12", "6/16",
    ]  # fmt: skip
    drawn = [x for x, _ in points(chart)]
    assert drawn[:4] == [1.0, 0.875, pytest.approx(1 / 6), 0.375]
    lines: list[Any] = list(chart.figure.axes[0].lines)
    ends = [tuple(line.get_xdata()) for line in lines]
    assert ends[1] == (pytest.approx(0.5291, abs=1e-3), pytest.approx(0.9776, abs=1e-3))
    assert list(chart.data["line"][:2]) == ["keywords, development", "keywords, public_transfer"]
    assert chart.title == "keywords passes 26/28 attempts, minimal 0/28"
    assert "minimal, development 0/12 [0.00, 0.39]" in chart.alt


def test_pass_counts_by_check_of_one_candidate() -> None:
    chart = charts.pass_counts(evaluate(OfflineShopModel, repeats=2), by="check")
    assert texts(chart) == ["16/16"] * 8
    assert list(chart.data["line"])[:2] == ["completed", "quantities"]
    assert chart.title == "The candidate passes 16/16 attempts"
    with pytest.raises(InputError, match="by: 'case' is not 'split' or 'check'"):
        charts.pass_counts(evaluate(OfflineShopModel, cases=CASES[:1]), by="case")


def test_the_attack_matrix_has_a_word_in_every_cell() -> None:
    attacks = checkpoint()["checkpoint"]["attacks"]
    chart = charts.attack_matrix(attacks)
    assert len(texts(chart)) == 7 * 8 + 7
    assert texts(chart).count("NO") == len(points(chart)) == 16
    assert chart.title == "6 of 7 attacks are caught; no check sees 'wrong amount'"
    assert "wrong currency, caught: currency_labels;" in chart.alt
    assert "wrong amount, blind spot: no check;" in chart.alt


def test_effort_draws_what_was_recorded() -> None:
    found = summary(
        [record("form", "A", "stock", 4.0, RIGHT), record("form", "B", "stock", 9.0, None)]
    )
    chart = charts.effort(found)
    assert points(chart) == [(6.5, "filled")]
    assert texts(chart) == ["right 1/2"]
    assert chart.title == "2 observations of a person's effort"


@pytest.mark.parametrize(
    ("draw", "told"),
    [
        (lambda: charts.effort(summary([])), "no effort has been recorded"),
        (lambda: charts.attack_matrix([]), "no attacks"),
    ],
)
def test_nothing_is_not_drawn(draw: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        draw()


def test_a_notebook_gets_the_picture_and_the_words(recorded: Any, tmp_path: Path) -> None:
    chart = charts.pass_counts(recorded)
    bundle, told = chart._repr_mimebundle_()
    assert told == {"image/png": {"alt": chart.alt}}
    picture = base64.b64decode(bundle["image/png"])
    assert picture == chart.png()
    assert bundle["text/plain"] == f"{chart.title}\n{chart.alt}\n{chart.caption}"
    path = chart.save(tmp_path / "a.png")
    assert path.read_bytes() == picture
    with pytest.raises(FileExistsError):
        chart.save(path)
    pixels = matplotlib.image.imread(path)
    assert pixels.shape[1] == 880  # 8 inches of 110
    assert (pixels[..., :3].max(axis=2) == pixels[..., :3].min(axis=2)).all()  # no colour at all


@pytest.mark.parametrize(
    "name", ["$x^{", "a $5 tub, or $6", "n" * 300, "two\nlines", "\x1b[2J", "Glacé"]
)
def test_a_name_is_drawn_as_it_is_whatever_is_in_it(name: str) -> None:
    report = run_requests({name: keywords})
    for chart in (charts.pass_counts(report), charts.latency(report)):
        assert chart.png().startswith(b"\x89PNG")
        assert name[:20].splitlines()[0] in chart.alt
