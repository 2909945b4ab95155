"""Every sample comes to what it was written for, part by part."""

import shutil
from pathlib import Path

import pytest

from lab.classroom.desk import check_class, pool
from lab.classroom.found import found_in
from lab.classroom.holdouts import load_holdouts, save_holdouts
from lab.classroom.rubric import Rubric
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
        found_rows = check_class(
            tmp_path / "books",
            found_in([tmp_path / "class"]),
            Rubric(),
            load_holdouts(tmp_path / "hidden.json"),
            executor=executor,
        )
    results = [result for row in found_rows for result in row.results]
    found = {result.name: verdicts(result) for result in results}
    good = {unit: found[f"good-{unit}"] for unit in ("unit_a", "unit_b")}
    assert {len(parts) for parts in good.values()} == {9, 10}
    assert {verdict for parts in good.values() for verdict in parts.values()} == {"PASS"}
    wanted = {
        result.name: ({} if "submission" in expected[result.name] else good[result.unit or ""])
        | expected[result.name]
        for result in results
    }
    assert found == wanted
    assert set(found) == set(expected)
    assert len(results) >= 27
    assert not Path("/usr/left-behind").exists()


def test_samples_are_written_to_a_new_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is there already; name a new folder"):
        write_samples(tmp_path)
