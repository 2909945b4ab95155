"""`lab compare` as a person meets it: in a terminal, as a page, with hostile reports, refused."""

import copy
import io
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from lab.cli import main
from lab.compare_tables import show_comparison
from lab.comparison import compare_reports
from lab.evidence import Report, save_report
from lab.page.comparison import comparison_page
from tests.e2e.test_cli import lab
from tests.export.reports import HOSTILE, every_ending, poisoned
from tests.paired_reports import added_up, asked, attempt, evaluated

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
SECTION = README.partition("## Two reports beside each other")[2].partition("\n## ")[0]


def saved(folder: Path, name: str, report: Report) -> Path:
    return save_report(folder, report, name=name)[0]


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    first = evaluated(
        {
            "stays": [attempt(True, 1.0, estimated_cost_pence=None)],
            "lost": [attempt(True, 2.0, estimated_cost_pence=None)],
        }
    )
    second = evaluated({"stays": [attempt(True, 4.0)], "lost": [attempt(False, 0.001)]}, name="new")
    return saved(tmp_path, "a.json", first), saved(tmp_path, "b.json", second)


def squeezed(text: str) -> str:
    return " ".join(text.split())


def shown(first: Report, second: Report, width: int) -> str:
    with pytest.MonkeyPatch.context() as patch, io.StringIO() as out:
        patch.setattr("lab.compare_tables.console", lambda: Console(file=out, width=width))
        show_comparison(compare_reports(first, second))
        return out.getvalue()


def test_the_terminal_says_what_was_observed(two: tuple[Path, Path]) -> None:
    ran = lab("compare", *two)
    assert (ran.returncode, ran.stderr) == (0, "")
    said = squeezed(ran.stdout)
    for words in (
        f"first a model, no skill report {two[0]} made 20",
        "attempts passed 2/2 [0.34, 1.00], of 2 distinct cases",
        f"second new, no skill report {two[1]} made 20",
        "attempts passed 1/2 [0.09, 0.91], of 2 distinct cases",
        "both passed 1 stays only first passed 1 lost only second passed 0 neither passed 0",
        "first passed 2 of 2 cases, second 1 of 2; they differ on 1: 1 against 0.",
        "McNemar, exact and two-sided: p = 1.0000. With 2 cases no p can be at most 0.05.",
        "first, passed 2 1.500000 6 unknown 0 unknown first, failed 0 - - - - -",
        "second, passed 1 4.000000 3 unknown 0 0 second, failed 1 0.001000 3 unknown 0 0",
        "what is unknown is not zero",
        "Seconds of the 1 cases that both passed: median 1.000000 and 4.000000; second less first,"
        " case by case, median +3.000000; first took less on 1, second on 0.",
        "A failed attempt that ended sooner was not faster",
        "configured first second model.name a model new",
        "not graded explanation amounts, unsupported claims, business usefulness",
        "It ranks nobody and accepts nothing: a person reads the attempts, and decides.",
    ):
        assert words in said
    assert "warning" not in said
    assert re.findall(r"\b(?:wins?|won|better|best|accepted|beats?|faster than)\b", said) == []


def test_two_alike_are_said_to_be_as_far_as_anybody_knows(two: tuple[Path, Path]) -> None:
    said = squeezed(lab("compare", two[0], two[0]).stdout)
    assert "Both are configured alike, as far as the reports say." in said
    assert "warning Both sides are the same report, so there is nothing to compare." in said


def test_eighty_columns_break_no_figure() -> None:
    figures = {"model_calls": 1234, "output_tokens": 123456, "estimated_cost_pence": 98765}
    first = evaluated({"a case with quite a long name" * 3: [attempt(True, 12.345678, **figures)]})
    first["cases"][0]["prompt_tokens"] = 7654321
    told = shown(first, added_up(copy.deepcopy(first)), 80)
    for figure in ("12.345678", "1234", "123456", "98765", "7654321", "median s", "tokens out"):
        assert figure in told
    table = told.partition("outcome")[2].partition("sha256")[0]
    assert max(map(len, table.splitlines())) <= 80


def test_many_fields_are_counted_and_not_all_shown() -> None:
    first, second = evaluated({"a": [attempt()]}), evaluated({"a": [attempt()]})
    second["cases"][0]["model"]["environment"] = {f"field {n:02}": n for n in range(50)}
    told = shown(first, second, 120)
    assert "field 39" in told
    assert "field 40" not in told
    assert "and 10 more, in the reports" in told


def test_a_reader_that_goes_away_is_no_fault(two: tuple[Path, Path]) -> None:
    command = [sys.executable, "-m", "lab", "compare", *map(str, two)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        run.stdout.close()
        assert run.wait(60) == 0
        assert run.stderr is not None
        assert run.stderr.read() == b""


def test_bad_input_exits_2(
    two: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = map(str, two)
    requests = str(saved(tmp_path, "requests.json", asked()))
    other = str(saved(tmp_path, "other.json", evaluated({"stays": [attempt()]})))
    text = two[1].read_text("utf-8")
    odd = tmp_path / "odd.json"
    odd.write_text(text.replace('"adapter":', '"adopter":'))
    bad = tmp_path / "bad.json"
    bad.write_text(text.replace('"passed":true', '"passed":false', 1))
    for arguments, told in (
        ([first, str(tmp_path / "none.json")], "none.json: cannot be read"),
        ([first, str(bad)], "bad.json: cases.0.passed is False"),
        ([first, str(odd)], f"{first} or {odd}: badly made: KeyError: 'adapter'"),
        ([first, requests], f"{first} is an evaluation; {requests} has requests"),
        ([first, other], f"{first} has 2 (digest"),
        ([requests, requests], "say which two, with --candidates FIRST SECOND"),
        ([requests, requests, "--candidates", "x", "nothing"], "'x' is none of"),
        ([first, second, "--candidates", "x", "y"], "leave --candidates out"),
        ([first, second, "--html", first], f"{first}: is there already and stays as it is"),
    ):
        assert main(["compare", *arguments]) == 2
        said = capsys.readouterr()
        assert told in said.err
        assert said.out == ""
    with pytest.raises(SystemExit) as ended:
        main(["compare", first])
    assert ended.value.code == 2


def test_requests_are_compared_by_the_names_of_their_candidates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(saved(tmp_path, "requests.json", asked()))
    assert main(["compare", path, path, "--candidates", "vanilla", "nothing"]) == 0
    said = squeezed(capsys.readouterr().out)
    assert "only first passed 1 stock only second passed 0 neither passed 1 draft" in said
    assert "candidate vanilla nothing" in said


class Page(HTMLParser):
    """The tags and the text of a page, its style left out."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self._is_style = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._is_style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._is_style = False

    def handle_data(self, data: str) -> None:
        if not self._is_style:
            self.text += f" {data}"


def test_a_page_says_what_the_terminal_says(two: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    ran = lab("compare", *two, "--html", out)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{out}\n", "")
    page = Page(out.read_text("utf-8"))
    said = squeezed(page.text)
    for words in (
        "Two reports beside each other",
        "It ranks nobody and accepts nothing: a person reads the attempts, and decides.",
        "Not graded: explanation amounts, unsupported claims, business usefulness",
        f"second new, no skill attempts passed 1/2 [0.09, 0.91], of 2 distinct cases {two[1]}",
        "only first passed 1 lost",
        "p = 1.0000.",
        "first, passed 2 1.500000 6 unknown 0 unknown",
        "median +3.000000",
        "A failed attempt that ended sooner was not faster",
        "model.name a model new",
    ):
        assert words in said
    assert "script" not in page.tags


ALLOWED = (
    "<html> <head> <meta> <title> <style> <body> <main> <h1> <h2> <p> <strong> <dl> <dt> <dd> <div>"
    " <table> <thead> <tbody> <tr> <th> <td>"
    " lang charset name content http-equiv class tabindex role aria-label scope"
)


@pytest.mark.parametrize("text", [*HOSTILE, "<script>alert(1)</script>", "\x1b]0;owned\x07"])
def test_nothing_in_a_report_is_obeyed(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every text of a report is hostile, the names of its cases and candidates among them."""
    first = added_up(poisoned(every_ending(), text))
    second = copy.deepcopy(first)
    second["settings"]["word"] = text
    second["cases"][0]["model"]["name"] = f"other {text}"
    second["provenance"][text] = text
    requests = poisoned(asked(), text)
    names = tuple(requests["candidates"])
    for found in (
        compare_reports(first, second, sources=(text, text)),
        compare_reports(requests, requests, candidates=(names[0], names[1])),
    ):
        show_comparison(found)
        said = capsys.readouterr().out
        assert "\x1b" not in said
        assert all(c.isprintable() or c == "\n" for c in said)
        page = Page(comparison_page(found).encode().decode())
        assert {f"<{tag}>" for tag in page.tags} | page.attributes <= set(ALLOWED.split())
        assert "both passed" in page.text
    assert (
        main(["compare", *[str(saved(tmp_path, "r", requests))] * 2, "--candidates", "x", text])
        == 2
    )
    assert all(c.isprintable() or c == "\n" for c in capsys.readouterr().err)


def test_a_name_is_shown_as_it_is() -> None:
    report = evaluated({"<b>=1+1</b>": [attempt()], "[red]x[/red]": [attempt()]})
    assert "<b>=1+1</b>, [red]x[/red]" in shown(report, copy.deepcopy(report), 120)
    assert "&lt;b&gt;=1+1&lt;/b&gt;, [red]x[/red]" in comparison_page(
        compare_reports(report, report)
    )


def test_the_readme_says_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    [block] = re.findall(r"```sh\n(.*?)```", SECTION, re.DOTALL)
    [shows] = re.findall(r"```text\n(.*?)```", SECTION, re.DOTALL)
    ended = []
    for line in block.splitlines():
        _, *words = line.partition("#")[0].split()
        arguments = [str(next(Path().glob(word))) if "*" in word else word for word in words]
        capsys.readouterr()
        ended.append(main(arguments))
    assert ended == [1, 0, 0, 0, 0]
    assert squeezed(shows) in squeezed(capsys.readouterr().out)
