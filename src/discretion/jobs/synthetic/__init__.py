"""A synthetic table beside the one it was made from: what it tells of those people, and not of others like them."""

from discretion.jobs.synthetic.job import synthetic_risk
from discretion.jobs.synthetic.result import AttackResult, SyntheticRisk

__all__ = ["AttackResult", "SyntheticRisk", "synthetic_risk"]
