"""Measures: functions of a system and an adversary, named by their quantity."""

from tacit.measures.bayes_security import bayes_security, leakiest_pair, leakiest_pairs
from tacit.measures.capacity import multiplicative_bayes_capacity
from tacit.measures.divergences import total_variation
from tacit.measures.information import mutual_information
from tacit.measures.local_privacy import ldp_epsilon
from tacit.measures.measure import method
from tacit.measures.vulnerability import bayes_risk, leakage, posterior_vulnerability, prior_vulnerability

__all__ = [
    "bayes_risk",
    "bayes_security",
    "ldp_epsilon",
    "leakage",
    "leakiest_pair",
    "leakiest_pairs",
    "method",
    "multiplicative_bayes_capacity",
    "mutual_information",
    "posterior_vulnerability",
    "prior_vulnerability",
    "total_variation",
]
