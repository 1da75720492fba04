"""The synthetic job: the risk of a synthetic table for the people it was made from, beyond others like them."""

from discretion.jobs.synthetic.job import run_synthetic_risk, synthetic_risk
from discretion.jobs.synthetic.result import AttackResult, SyntheticRisk

__all__ = ["AttackResult", "SyntheticRisk", "run_synthetic_risk", "synthetic_risk"]
