"""`lab show`: the terminal, the page, and the review beside the report."""

import hashlib
import os
import threading
from pathlib import Path

import pytest

from lab.cli import main
from lab.evidence import load_report, save_report
from lab.review import Judgement, Review
from tests.export.reports import every_ending, passing, requests_of_all_sorts


def saved(folder: Path, kind: str = "evaluation") -> Path:
    report = requests_of_all_sorts() if kind == "requests" else passing()
    path, _ = save_report(folder, report)
    return path


def test_a_page_names_the_file_it_is_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path)
    page = tmp_path / "page.html"
    assert main(["show", str(path), "--html", str(page)]) == 0
    assert capsys.readouterr().out == f"{page}\n"
    text = page.read_text("utf-8")
    assert hashlib.sha256(path.read_bytes()).hexdigest() in text
    assert "0 of 1 answers reviewed" in text


def test_a_review_beside_the_report_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path)
    answers = {"amounts": "yes", "claims": "yes", "purchase": "yes", "useful": "no"}
    Review(path).add(Judgement(case="opening", repetition=1, **answers), "Lucy")
    page = tmp_path / "page.html"
    assert main(["show", str(path), "--html", str(page)]) == 0
    assert "1 of 1 answers reviewed; by Lucy 1; 1 objections" in page.read_text("utf-8")
    assert main(["show", str(path)]) == 0
    assert "1 of 1 answers reviewed; by Lucy 1" in capsys.readouterr().out


def test_the_terminal_shows_either_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(saved(tmp_path))]) == 0
    assert "acceptance         REVIEW_REQUIRED" in capsys.readouterr().out
    assert main(["show", str(saved(tmp_path, "requests"))]) == 0
    assert "exact McNemar" in capsys.readouterr().out


def test_a_page_that_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    page.write_text("mine")
    assert main(["show", str(saved(tmp_path)), "--html", str(page)]) == 2
    assert "is there already and stays as it is" in capsys.readouterr().err
    assert page.read_text() == "mine"


def test_a_report_that_was_badly_made_is_to_blame_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = every_ending()
    for row in report["cases"]:
        row["spans"] = {"agent": {"acquire": 1.0}, "script": None}
        row["steps"] = [{"kind": "model"}]
    path, _ = save_report(tmp_path, report)
    assert load_report(path)
    page = tmp_path / "page.html"
    assert main(["show", str(path), "--html", str(page)]) == 2
    assert f"{path}: badly made: KeyError: 'seconds'" in capsys.readouterr().err
    assert not page.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_the_digest_is_of_the_bytes_that_were_read_also_of_a_pipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = saved(tmp_path).read_bytes()
    pipe, page = tmp_path / "pipe", tmp_path / "page.html"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[data])
    writer.start()
    assert main(["show", str(pipe), "--html", str(page)]) == 0
    writer.join()
    assert hashlib.sha256(data).hexdigest() in page.read_text("utf-8")


def test_no_word_of_a_report_is_markup_or_drives_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = passing()
    report["acceptance"] |= {"ungraded": ["[/x]\x1b[31m"], "meaning": "[bold]"}
    path, _ = save_report(tmp_path, report)
    assert main(["show", str(path)]) == 0
    told = capsys.readouterr().out
    assert "not graded         [/x]\\x1b[31m" in told
    assert "[bold]" in told


def test_a_number_of_five_thousand_digits_is_looked_up_and_not_found(tmp_path: Path) -> None:
    report = passing()
    report["cases"][0]["answer"] = f"Total {'9' * 5000} pence"
    path, _ = save_report(tmp_path, report)
    page = tmp_path / "page.html"
    assert main(["show", str(path), "--html", str(page)]) == 0
    assert "1 marks in 1 answers (number 1), to be read and no verdict" in page.read_text("utf-8")
