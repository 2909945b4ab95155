"""Both editions come from one source, and the student's has no answer in it."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from lab.lessons.feedback import FunctionTask
from lab.lessons.unit import TASKS
from notebooks.build import UNITS, assemble, choose, without_outputs

ROOT = Path(__file__).parents[2]
CELL = """x = 1
# starter
y = TODO
# solution
y = 2
# end
print(x, y)"""


def stored(unit: str, edition: str) -> Any:
    folder = ROOT / "notebooks" / ("solutions" if edition == "solution" else "")
    return nbformat.read(folder / f"{unit}.ipynb", as_version=4)  # type: ignore[no-untyped-call]


def test_there_are_two_units() -> None:
    assert UNITS == ("unit_a", "unit_b")


def test_each_edition_gets_its_part() -> None:
    assert choose(CELL, "student", "c") == "x = 1\ny = TODO\nprint(x, y)"
    assert choose(CELL, "solution", "c") == "x = 1\ny = 2\nprint(x, y)"


def test_marks_may_be_indented_and_come_twice() -> None:
    inside = "def f():\n    # starter\n    return TODO\n    # solution\n    return 2\n    # end"
    assert choose(f"{inside}\n{inside}", "solution", "c").count("return 2") == 2
    assert choose(inside, "student", "c") == "def f():\n    return TODO"


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        CELL.replace("# end", ""),
        CELL.replace("# solution", ""),
        CELL.replace("# starter", ""),
        CELL + "\n# end",
        CELL + "\n# starter",
    ],
)
def test_marks_that_do_not_pair_up_are_refused(source: str) -> None:
    with pytest.raises(ValueError, match="cell c: `# starter`, `# solution`, `# end`"):
        choose(source, "student", "c")


def test_the_stored_notebooks_are_what_their_sources_give() -> None:
    command = [sys.executable, str(ROOT / "notebooks" / "build.py"), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "")


@pytest.mark.parametrize("unit", UNITS)
def test_a_notebook_that_differs_from_its_source_is_found(unit: str) -> None:
    made, notebook = assemble(unit, "student"), stored(unit, "student")
    assert without_outputs(made) == without_outputs(notebook)
    notebook.cells[3].source += "\n# changed"
    assert without_outputs(made) != without_outputs(notebook)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("edition", ["student", "solution"])
def test_every_cell_was_run_and_none_failed(unit: str, edition: str) -> None:
    notebook = stored(unit, edition)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert {output.output_type for output in outputs} <= {
        "execute_result",
        "stream",
        "display_data",
    }
    assert "stderr" not in {output.get("name") for output in outputs}
    assert not re.search(r"/(root|home|work|tmp)/", str(outputs))


@pytest.mark.parametrize("unit", UNITS)
def test_untouched_it_says_not_tried_and_solved_it_says_pass(unit: str) -> None:
    def statuses(edition: str) -> list[str]:
        said = [
            output.data["text/plain"]
            for cell in stored(unit, edition).cells
            if "lessons.check(" in cell.source
            for output in cell.outputs
        ]
        return [text.split()[0] for text in said]

    tasks = len(TASKS[unit])
    assert statuses("student") == ["NOT_TRIED"] * tasks
    assert statuses("solution") == ["PASS"] * tasks


@pytest.mark.parametrize("unit", UNITS)
def test_the_student_edition_solved_is_the_solution_edition(unit: str) -> None:
    pairs = zip(stored(unit, "student").cells, stored(unit, "solution").cells, strict=True)
    for student, solution in pairs:
        assert student.id == solution.id
        if "learner" not in student.metadata.get("tags", []):
            assert student.source == solution.source


@pytest.mark.parametrize("unit", UNITS)
def test_there_is_no_answer_in_the_student_edition(unit: str) -> None:
    whole = "\n".join(cell.source for cell in stored(unit, "student").cells)
    for student, solution in zip(
        stored(unit, "student").cells, stored(unit, "solution").cells, strict=True
    ):
        known = set(student.source.splitlines())
        for line in solution.source.splitlines():
            if line not in known and len(line.strip()) >= 20:
                assert line.strip() not in whole
    for task in TASKS[unit]:
        for trial in task.trials[1:] if isinstance(task, FunctionTask) else ():
            if trial.expected and trial.given:
                assert str(trial.expected) not in whole
                assert str(trial.given) not in whole


@pytest.mark.parametrize("unit", UNITS)
def test_the_timetable_makes_ninety_minutes(unit: str) -> None:
    table = stored(unit, "student").cells[0].source
    minutes = [int(found) for found in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)]
    assert sum(minutes) == 90


@pytest.mark.parametrize("unit", UNITS)
def test_a_cell_is_one_idea_of_about_fifteen_lines(unit: str) -> None:
    long = {
        cell.id: len(cell.source.splitlines())
        for cell in stored(unit, "student").cells
        if cell.cell_type == "code" and len(cell.source.splitlines()) > 15
    }
    assert long == {}


@pytest.mark.parametrize("unit", UNITS)
def test_every_task_has_three_folded_hints_before_it(unit: str) -> None:
    cells = stored(unit, "student").cells
    for place, cell in enumerate(cells):
        if "lessons.check(" in cell.source and "establishes" not in cell.source:
            assert cells[place - 1].source.count("<details><summary>Hint ") in (0, 3)
    hints = sum(cell.source.count("<details><summary>Hint 3") for cell in cells)
    assert hints >= len(TASKS[unit]) - 1
