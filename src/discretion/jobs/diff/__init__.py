"""Two tables of people side by side: which is better, and what both tell together."""

from discretion.jobs.diff.job import diff
from discretion.jobs.diff.result import Diff, diff_measures
from discretion.jobs.diff.text import to_text

__all__ = ["Diff", "diff", "diff_measures", "to_text"]
