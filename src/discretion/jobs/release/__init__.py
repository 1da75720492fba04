"""A release: the most useful table within a goal, written, read back and audited."""

from discretion.jobs.release.job import release
from discretion.jobs.release.result import Checked, Release, ReleasedColumn
from discretion.jobs.release.text import to_text

__all__ = ["Checked", "Release", "ReleasedColumn", "release", "to_text"]
