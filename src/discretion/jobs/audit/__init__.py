"""The main job: audit a whole table of people."""

from discretion.jobs.audit.job import audit, run_audit
from discretion.jobs.audit.result import Audit

__all__ = ["Audit", "audit", "run_audit"]
