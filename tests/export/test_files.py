"""`lab export` writes one new file, whole or not at all, and refuses what it cannot mean."""

import csv
import json
import os
import stat
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from lab.cli import main
from lab.counts import baseline_totals, counts, totals
from lab.errors import InputError
from lab.evidence import save_new, save_report
from lab.export import export_report
from tests.export.reports import every_ending, passing, requests_of_all_sorts


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return save_report(tmp_path, passing(), name="report.json")[0]


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    return save_report(tmp_path, requests_of_all_sorts(), name="requests.json")[0]


def test_the_ending_says_which_format(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    xml, table = saved.with_name("r.xml"), saved.with_name("r.CSV")
    assert main(["export", str(saved), str(xml)]) == 0
    assert capsys.readouterr().out == f"{xml}\n"
    assert ET.parse(xml).getroot().tag == "testsuites"
    assert main(["export", str(saved), str(table)]) == 0
    with table.open(encoding="utf-8-sig", newline="") as file:
        (line,) = csv.DictReader(file)
    assert line["case"] == "opening"
    assert table.read_bytes().startswith(b"\xef\xbb\xbfcandidate,")


def test_the_digest_is_that_of_the_files_bytes(tmp_path: Path) -> None:
    path, digest = save_report(tmp_path, passing(), name="r.json")
    assert main(["export", str(path), str(tmp_path / "a.xml")]) == 0
    assert f'name="report_sha256" value="{digest}"' in (tmp_path / "a.xml").read_text("utf-8")
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")), indent=2))
    assert main(["export", str(path), str(tmp_path / "b.xml")]) == 0
    assert digest not in (tmp_path / "b.xml").read_text("utf-8")


def test_a_format_can_be_named(saved: Path) -> None:
    assert main(["export", str(saved), str(saved.with_name("r.txt")), "--format", "csv"]) == 0
    assert saved.with_name("r.txt").read_bytes().startswith(b"\xef\xbb\xbfcandidate,")


@pytest.mark.skipif(os.name != "posix", reason="file modes exist on POSIX only")
def test_only_its_owner_can_read_it(saved: Path) -> None:
    path = export_report(passing(), saved.with_name("new") / "r.xml")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_there_stays_as_it_is(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there, dangling = saved.with_name("r.csv"), saved.with_name("r.xml")
    there.write_text("mine")
    dangling.symlink_to("nowhere")
    for path in (there, dangling):
        assert main(["export", str(saved), str(path)]) == 2
        assert capsys.readouterr().err == (
            f"lab: {path}: is there already and stays as it is; name a new file\n"
        )
    assert there.read_text() == "mine"
    assert not saved.with_name("nowhere").exists()


def test_nothing_half_written_stays(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("lab.evidence.os.fsync", full)
    assert main(["export", str(saved), str(saved.with_name("r.xml"))]) == 2
    assert [path.name for path in saved.parent.iterdir()] == ["report.json"]


def test_bad_input_is_refused(
    saved: Path, asked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(saved.read_text("utf-8").replace('"passed":true', '"passed":false', 1))
    odd = tmp_path / "odd.json"
    odd.write_text(asked.read_text("utf-8").replace('"held_out":false', '"held":false'))
    for arguments, said in (
        ([saved, "r.pdf"], "r.pdf: its ending tells no format; use one of .xml (junit), .csv"),
        ([saved, "r"], "r: its ending tells no format"),
        ([bad, "r.xml"], "bad.json: cases.0.passed is False"),
        ([odd, "r.xml"], "odd.json: badly made: KeyError: 'held_out'"),
        ([tmp_path / "none.json", "r.xml"], "none.json: cannot be read"),
        ([saved, "r.xml", "--candidate", "x"], "candidate: an evaluation has one"),
        (
            [asked, "r.xml", "--candidate", "x"],
            "candidate: 'x' is none of 'stock of vanilla', 'unlucky'",
        ),
    ):
        assert main(["export", *map(str, arguments)]) == 2
        assert said in capsys.readouterr().err
    assert not Path("r.xml").exists()


def test_one_candidate_of_several(asked: Path) -> None:
    path = asked.with_name("one.csv")
    assert main(["export", str(asked), str(path), "--candidate", "unlucky"]) == 0
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert [(line["candidate"], line["case"]) for line in csv.DictReader(file)] == [
            ("unlucky", "stock"),
            ("unlucky", "draft"),
        ]


def test_from_python(tmp_path: Path) -> None:
    report = every_ending()
    assert export_report(report, tmp_path / "r.xml") == tmp_path / "r.xml"
    report["passed"] = True
    with pytest.raises(InputError, match="report: passed is True"):
        export_report(report, tmp_path / "s.xml")
    with pytest.raises(InputError, match="format: 'pdf' is none of junit, csv"):
        export_report(report, tmp_path / "s.xml", as_format="pdf")
    assert not (tmp_path / "s.xml").exists()


def test_a_report_without_attempts_is_no_success(tmp_path: Path) -> None:
    report = passing()
    report |= {"cases": [], "counts": counts([]), "totals": totals([])}
    report |= {"baseline_totals": baseline_totals([]), "passed": False}
    report["acceptance"]["status"] = "REJECTED"
    for name in ("r.xml", "r.csv", "r.eval", "r.json"):
        with pytest.raises(InputError, match="it has no attempts"):
            export_report(report, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_what_somebody_made_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.evidence.refuse_unwritable", lambda _: None)
    path = tmp_path / "r.xml"
    path.write_text("mine")
    with pytest.raises(InputError, match=r"r\.xml: is there by now and stays as it is"):
        save_new(path, [b"other"])
    assert [each.read_text() for each in tmp_path.iterdir()] == ["mine"]


def test_a_checkpoint_says_what_is_left_out(tmp_path: Path) -> None:
    report = {**passing(), "checkpoint": {"as_written": True, "attacks": [], "live": None}}
    text = export_report(report, tmp_path / "r.xml").read_text("utf-8")
    assert "the attempts under `checkpoint`: what attacked the instrument" in text
