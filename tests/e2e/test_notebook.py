"""`lab notebook` gives a learner copies, and keeps what they wrote."""

from pathlib import Path

import pytest

from lab.cli import main
from lab.copies import original


def test_copies_are_made_once_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["notebook", "--no-browser", "--folder", str(tmp_path / "mine")]
    assert main(command) == 0
    mine = tmp_path / "mine" / "unit_a.ipynb"
    assert capsys.readouterr().out.splitlines() == [
        str(mine),
        str(tmp_path / "mine" / "unit_b.ipynb"),
    ]
    assert mine.read_bytes() == original("unit_a").read_bytes()
    mine.write_text("my work")
    assert main(command) == 0
    assert mine.read_text() == "my work"
    assert main([*command, "--reset", "unit_a"]) == 0
    assert mine.read_bytes() == original("unit_a").read_bytes()
    (kept,) = mine.parent.glob("unit_a-*.ipynb")
    assert kept.read_text() == "my work"


def test_another_unit_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["notebook", "--no-browser", "--folder", str(tmp_path), "--reset", "unit_c"]
    assert main(command) == 2
    assert "'unit_c' is not one of unit_a, unit_b" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_jupyterlab_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["notebook", "--folder", str(tmp_path)]) == 2
    assert "[notebooks]" in capsys.readouterr().err
