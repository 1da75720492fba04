"""A release: the most useful table within a goal, written, read back and audited."""

from tacit.jobs.release.job import release
from tacit.jobs.release.result import Checked, Release, ReleasedColumn
from tacit.jobs.release.text import to_text

__all__ = ["Checked", "Release", "ReleasedColumn", "release", "to_text"]
