"""A file of people held to a policy: a rule a line, and whether it holds."""

from tacit.jobs.check.job import check
from tacit.jobs.check.policy import Policy, checked_gates, read_policy
from tacit.jobs.check.result import Checked, ColumnsRule, NumberRule

__all__ = ["Checked", "ColumnsRule", "NumberRule", "Policy", "check", "checked_gates", "read_policy"]
