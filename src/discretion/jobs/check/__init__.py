"""The check job: a verdict on each rule of a policy for a file of people."""

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
