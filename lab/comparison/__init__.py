"""Two candidates on the same cases: their attempts paired."""

from lab.comparison.pairs import compare

__all__ = ["compare"]
