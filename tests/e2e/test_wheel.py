"""The built wheel carries all that it reads, and works far from the checkout."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = """
from lab.classroom.kept import Kept, Learner
from lab.classroom.pages import feedback
from lab.classroom.rows import rows
from lab.classroom.rubric import Rubric
from lab.classroom.verdicts import Result

[row] = rows([Learner("ann", [Kept("", "", "", Result("ann"))])], Rubric(), [], [])
print(feedback(row, {"lab_version": "0"}))
"""


def test_a_wheel_installed_elsewhere_runs_the_main_job(tmp_path: Path) -> None:
    def run(*command: str, **environment: str) -> str:
        ran = subprocess.run(
            [sys.executable, *command],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    pip = ("-m", "pip", "-q", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", "dist", str(ROOT))
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    run(*pip, "install", "--no-deps", "--no-index", "--target", "elsewhere", str(wheel))
    elsewhere = str(tmp_path / "elsewhere")
    where = run("-c", "import lab; print(lab.__file__)", PYTHONPATH=elsewhere)
    assert where.startswith(elsewhere)
    said = run("-m", "lab", "evaluate", PYTHONPATH=elsewhere)
    assert "REVIEW_REQUIRED" in said
    assert list((tmp_path / "lab-reports").glob("report-*.json"))
    # What is read at run time, and is not Python, travels too.
    code = "from lab.recorded import recorded; print(len(recorded('requests')['cases']))"
    assert run("-c", code, PYTHONPATH=elsewhere) == "168\n"
    assert run("-m", "lab", "notebook", "--no-browser", PYTHONPATH=elsewhere).count("ipynb") == 2
    assert "submissions are in samples" in run(
        *("-m", "lab", "classroom", "samples", "--output", "samples"), PYTHONPATH=elsewhere
    )
    assert "<h1>ann" in run("-c", PAGE, PYTHONPATH=elsewhere)
    assert run("-c", "from lab.shop import local; local.template()", PYTHONPATH=elsewhere) == ""
