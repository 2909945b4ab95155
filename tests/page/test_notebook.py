"""A report in a notebook: the cell that asks for it shows the top of its page."""

import nbformat
from nbclient import NotebookClient


def test_a_cell_shows_the_verdict_and_what_it_leaves_open() -> None:
    code = "import lab\nlab.show(lab.evaluate(lab.OfflineShopModel, cases=lab.CASES[:1]))"
    cell = nbformat.v4.new_code_cell(code)  # type: ignore[no-untyped-call]
    notebook = nbformat.v4.new_notebook(cells=[cell])  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    [shown] = notebook.cells[0].outputs
    assert shown.data["text/plain"].splitlines()[:2] == [
        "REVIEW_REQUIRED",
        "1/1 [0.21, 1.00], of 1 distinct cases",
    ]
    assert "<strong>REVIEW_REQUIRED</strong>" in shown.data["text/html"]
    assert "explanation amounts, unsupported claims" in shown.data["text/html"]
