"""Every sample comes to what it was written for, part by part."""

import shutil
from pathlib import Path

import pytest

from lab.classroom.books import load_rubric
from lab.classroom.collect import found_in
from lab.classroom.desk import check_class, pool
from lab.classroom.holdouts import load_holdouts, save_holdouts
from lab.classroom.samples import write_samples
from lab.classroom.verdicts import Result
from lab.errors import InputError

needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")


def verdicts(result: Result) -> dict[str, str]:
    """Return the verdicts by part; every report that is handed in is called report."""
    names = {n: "report" if n.startswith("report") else n for n in result.parts}
    return {names[name]: part.verdict for name, part in result.parts.items()}


@needs_sandbox
def test_every_sample_comes_to_what_it_was_written_for(tmp_path: Path) -> None:
    expected = write_samples(tmp_path / "class")
    save_holdouts(tmp_path / "hidden.json", 3)
    with pool(4) as executor:
        results = check_class(
            tmp_path / "books",
            found_in([tmp_path / "class"]),
            load_rubric(None),
            load_holdouts(tmp_path / "hidden.json"),
            executor=executor,
        )
    found = {result.name: verdicts(result) for result in results}
    good = {unit: found[f"good-{unit}"] for unit in ("unit_a", "unit_b")}
    assert {len(parts) for parts in good.values()} == {9, 10}
    assert {verdict for parts in good.values() for verdict in parts.values()} == {"PASS"}
    for result in results:
        other = expected.pop(result.name)
        whole = {} if "submission" in other else good[result.unit or "unit_a"]
        assert found[result.name] == {**whole, **other}, result.name
    assert expected == {}
    assert len(results) >= 27
    assert not Path("/usr/left-behind").exists()


def test_samples_are_written_to_a_new_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is there already; name a new folder"):
        write_samples(tmp_path)
