"""Cells of a table that somebody opens in a spreadsheet."""

SIGNS = frozenset("=+-@＝＋－＠")
"""What a formula begins with; some spreadsheets take the wide forms for it too."""


def cell(text: str) -> str:
    """Return text that no spreadsheet reckons with: an apostrophe stands before a formula.

    A formula also is one after spaces, or after characters that nobody sees.
    """
    seen = (c for c in text if c.isprintable() and not c.isspace())
    begins = next(seen, "") in SIGNS or text.startswith(("\t", "\r", "\n"))
    return f"'{text}" if begins else text
