"""No cell is a formula, however it begins."""

import pytest

from lab.cells import cell


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "  =1+1",
        "\u00a0=1+1",
        "\tplain",
        "\rplain",
        "\n=1+1",
        "\x00=1+1",
        "\ufeff=1+1",
        "\u200b=1+1",
        "＝1+1",
    ],
)
def test_a_formula_has_an_apostrophe_before_it(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('fine;=HYPERLINK("x")', 'fine;\'=HYPERLINK("x")'),
        (";=1+1", ";'=1+1"),
        ("a; +1", "a; '+1"),
        ("a\t=1+1", "a\t'=1+1"),
        ("\t=1+1", "'\t'=1+1"),
    ],
)
def test_a_formula_is_none_either_where_semicolons_or_tabs_part_cells(text: str, told: str) -> None:
    assert cell(text) == told


@pytest.mark.parametrize("text", ["", " ", "plain", "a=1", "6 tubs -", "£1", "'=1", '"=1"'])
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert cell(text) == text
