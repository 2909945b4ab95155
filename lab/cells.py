"""Cells of a table that somebody opens in a spreadsheet."""

import re

SIGNS = frozenset("=+-@＝＋－＠")
"""What a formula begins with; some spreadsheets take the wide forms for it too."""


AFTER = re.compile(f"([;\t]\\s*)([{re.escape(''.join(SIGNS))}])")
"""A formula in what becomes a cell where somebody's spreadsheet parts cells by these."""


def cell(text: str) -> str:
    """Return text that no spreadsheet reckons with: an apostrophe stands before a formula.

    A formula also is one after spaces, or after characters that nobody sees, or after what may part
    cells in another country.
    """
    text = AFTER.sub(r"\1'\2", text)
    seen = (c for c in text if c.isprintable() and not c.isspace())
    begins = next(seen, "") in SIGNS or text.startswith(("\t", "\r", "\n"))
    return f"'{text}" if begins else text
