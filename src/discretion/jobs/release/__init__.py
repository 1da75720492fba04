"""The release job: write the most useful table within a goal, read it back and audit it."""

from discretion.jobs.release.job import options_of_plan, release, run_release
from discretion.jobs.release.result import FileExposure, Release, ReleasedColumn

__all__ = ["FileExposure", "Release", "ReleasedColumn", "options_of_plan", "release", "run_release"]
