"""A release: the most useful table within a goal, written, read back and audited."""

from discretion.jobs.release.job import release, run_release
from discretion.jobs.release.result import FileExposure, Release, ReleasedColumn

__all__ = ["FileExposure", "Release", "ReleasedColumn", "release", "run_release"]
