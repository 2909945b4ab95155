"""Two candidates on the same cases: their attempts paired, and their reports beside each other."""

from lab.comparison.pairs import compare
from lab.comparison.reports import Compared, compare_reports

__all__ = ["Compared", "compare", "compare_reports"]
