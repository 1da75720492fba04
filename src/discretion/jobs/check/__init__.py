"""A file of people held to a policy: a rule a line, and whether it holds."""

from discretion.jobs.check.job import check
from discretion.jobs.check.policy import Policy, checked_gates, read_policy
from discretion.jobs.check.result import ColumnsRule, NumberRule, PolicyCheck, PolicyChecks

__all__ = [
    "ColumnsRule",
    "NumberRule",
    "Policy",
    "PolicyCheck",
    "PolicyChecks",
    "check",
    "checked_gates",
    "read_policy",
]
