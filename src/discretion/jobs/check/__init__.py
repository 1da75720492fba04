"""A file of people held to a policy: a rule a line, and whether it holds."""

from discretion.jobs.check.job import check, check_files
from discretion.jobs.check.policy import Policy, checked_gates, read_policy
from discretion.jobs.check.result import ColumnsRule, NumberRule, PolicyCheck, PolicyChecks

__all__ = [
    "ColumnsRule",
    "NumberRule",
    "Policy",
    "PolicyCheck",
    "PolicyChecks",
    "check",
    "check_files",
    "checked_gates",
    "read_policy",
]
