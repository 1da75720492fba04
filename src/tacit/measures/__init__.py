"""Measures: functions of a system and an adversary, named by their quantity."""

from tacit.measures import repeated as repeated, stored as stored
from tacit.measures.bayes_risk_bounds import BayesRiskBounds, bayes_risk_bounds
from tacit.measures.bayes_security import bayes_security, leakiest_pair, leakiest_pairs
from tacit.measures.bayes_security_bounds import bayes_security_bounds
from tacit.measures.capacity import multiplicative_bayes_capacity
from tacit.measures.divergences import hockey_stick, renyi_divergence, total_variation
from tacit.measures.information import mutual_information
from tacit.measures.local_privacy import ldp_epsilon
from tacit.measures.measure import method
from tacit.measures.privacy import privacy_profile, shuffle_epsilon, shuffle_renyi
from tacit.measures.security_bounds import (
    bayes_security_of_databases,
    bayes_security_of_ldp,
    delta_of_bayes_security,
    epsilon_of_bayes_security,
    membership_advantage,
    success_probability,
    yeom_advantage,
)
from tacit.measures.vulnerability import bayes_risk, leakage, posterior_vulnerability, prior_vulnerability

__all__ = [
    "BayesRiskBounds",
    "bayes_risk",
    "bayes_risk_bounds",
    "bayes_security",
    "bayes_security_bounds",
    "bayes_security_of_databases",
    "bayes_security_of_ldp",
    "delta_of_bayes_security",
    "epsilon_of_bayes_security",
    "hockey_stick",
    "ldp_epsilon",
    "leakage",
    "leakiest_pair",
    "leakiest_pairs",
    "membership_advantage",
    "method",
    "multiplicative_bayes_capacity",
    "mutual_information",
    "posterior_vulnerability",
    "prior_vulnerability",
    "privacy_profile",
    "renyi_divergence",
    "shuffle_epsilon",
    "shuffle_renyi",
    "success_probability",
    "total_variation",
    "yeom_advantage",
]
