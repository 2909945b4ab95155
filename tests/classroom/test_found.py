"""Under whose name a submission is taken, and which of several counts."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.classroom.check import check_submission
from lab.classroom.collect import Unreadable, collect
from lab.classroom.found import found_in, passed_over
from lab.classroom.verdicts import Part
from lab.errors import InputError
from tests.classroom.handing_in import folder, packed, whole

EARLY, LATE = "2026-11-01T10:00:00+00:00", "2026-11-02T09:00:00+00:00"


def test_a_class_is_found_as_it_was_exported(tmp_path: Path) -> None:
    there = tmp_path / "class"
    folder(there / "ann")
    folder(there / "Bob Byrne_12345_assignsubmission_file" / "submission-unit_a-2026")
    packed(there / "cleo" / "submission.zip", whole())
    packed(there / "dora.zip", whole())
    (there / "emil").mkdir()
    (there / ".DS_Store").write_bytes(b"")
    found = {each.learner: str(each.path.relative_to(there)) for each in found_in([there])}
    assert found == {
        "Bob Byrne_12345_assignsubmission_file": (
            "Bob Byrne_12345_assignsubmission_file/submission-unit_a-2026"
        ),
        "ann": "ann",
        "cleo": "cleo/submission.zip",
        "dora": "dora.zip",
        "emil": "emil",
    }
    assert collect(there / found["cleo"]).unit == "unit_a"
    with pytest.raises(Unreadable, match="there is no manifest"):
        collect(there / found["emil"])


def test_of_each_unit_the_newest_in_a_learners_folder_counts(tmp_path: Path) -> None:
    ann = tmp_path / "class" / "ann"
    folder(ann / "x", whole("unit_a", LATE))
    folder(ann / "y", whole("unit_a", EARLY))
    packed(ann / "z.zip", whole("unit_b", EARLY))
    packed(ann / "letter.zip", {"letter.txt": b"dear Lucy"})
    assert found_in([tmp_path / "class"]) == [
        ("ann", ann / "letter.zip", ()),
        ("ann", ann / "x", ("y was made earlier, and is passed over",)),
        ("ann", ann / "z.zip", ()),
    ]


def test_a_link_in_a_learners_folder_leads_to_nobody_elses_work(tmp_path: Path) -> None:
    folder(tmp_path / "class" / "ann" / "mine")
    (tmp_path / "class" / "bob").mkdir()
    (tmp_path / "class" / "bob" / "mine").symlink_to(tmp_path / "class" / "ann" / "mine")
    (tmp_path / "class" / "cleo").symlink_to(tmp_path / "class" / "ann")
    _, bob, cleo = found_in([tmp_path / "class"])
    for each in (bob, cleo):
        with pytest.raises(Unreadable, match="link"):
            collect(each.path)


def test_one_that_cannot_be_opened_stops_nobody_elses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "class"
    for name in ("one", "two"):
        packed(there / "ann" / f"{name}.zip", {".": b""})
    folder(there / "bob")
    (there / "cleo").mkdir()
    opened = Path.iterdir

    def closed(path: Path) -> Iterator[Path]:
        if path.name == "cleo":
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path)

    monkeypatch.setattr(Path, "iterdir", closed)
    assert found_in([there]) == [
        ("ann", there / "ann" / "one.zip", ()),
        ("ann", there / "ann" / "two.zip", ()),
        ("bob", there / "bob", ()),
        ("cleo", there / "cleo", ()),
    ]
    told = check_submission("cleo", there / "cleo", {}).parts["submission"]
    assert told == Part("UNREADABLE", "cleo cannot be opened: Permission denied")
    with pytest.raises(InputError, match="cleo: cannot be opened: Permission denied"):
        found_in([there / "cleo"])


def test_both_units_may_lie_in_two_folders_and_one_unit_may_not(tmp_path: Path) -> None:
    monday = folder(tmp_path / "monday" / "ann", whole("unit_a"))
    friday = packed(tmp_path / "friday" / "ann.zip", whole("unit_b"))
    found = found_in([tmp_path / "monday", tmp_path / "friday", monday])
    assert found == [("ann", friday, ()), ("ann", monday, ())]
    packed(friday, whole("unit_a", LATE))
    with pytest.raises(InputError, match=r"^ann: handed in unit_a in .* and in .*: if these are"):
        found_in([tmp_path / "monday", tmp_path / "friday"])


def test_all_who_handed_in_one_unit_twice_are_named_at_once(tmp_path: Path) -> None:
    there = tmp_path / "class"
    for name in ("ann", "bob", "cleo"):
        folder(there / name)
    for name in ("ann", "cleo"):
        packed(there / f"{name}.zip", whole("unit_a", LATE))
    with pytest.raises(InputError) as refused:
        found_in([there])
    assert str(refused.value).replace(f"{there}/", "") == (
        "ann: handed in unit_a in ann and in ann.zip; cleo: handed in unit_a in cleo and in"
        " cleo.zip: if these are two people, rename one; if it is one, give the path that counts"
    )


def test_what_a_dot_hides_is_told(tmp_path: Path) -> None:
    there = tmp_path / "class"
    folder(there / ".ann")
    packed(there / ".bob.zip", whole())
    packed(there / "cleo" / ".late.zip", whole())
    packed(there / "cleo" / "submission.zip", whole())
    folder(there / "dora" / "._dora.zip")
    (folder(there / "emil") / ".ipynb_checkpoints").mkdir()
    (there / ".DS_Store").write_bytes(b"")
    assert passed_over([there]) == [
        there / ".ann",
        there / ".bob.zip",
        there / "cleo" / ".late.zip",
    ]
    assert passed_over([there / "emil", there / ".bob.zip"]) == []


def test_where_there_is_nothing_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is nothing there"):
        found_in([tmp_path / "none"])
    with pytest.raises(InputError, match="there are no submissions"):
        found_in([tmp_path])
