"""The diff job: the changes from one table of people to another, and the exposure of both together."""

from discretion.jobs.diff.job import diff, run_diff
from discretion.jobs.diff.parts import ComparedColumns, Join, SideExposure, Without, diff_measures
from discretion.jobs.diff.result import Diff

__all__ = ["ComparedColumns", "Diff", "Join", "SideExposure", "Without", "diff", "diff_measures", "run_diff"]
