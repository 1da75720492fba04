"""Measures: functions of a system and an adversary, named by their quantity."""

from discretion.measures import parallel as parallel, repeated as repeated
from discretion.measures.additive_capacity import additive_capacity
from discretion.measures.alpha_capacity import sibson_capacity
from discretion.measures.alpha_information import arimoto_information, maximal_leakage, sibson_information
from discretion.measures.bayes_security import bayes_security, leakiest_pair, leakiest_pairs
from discretion.measures.capacity import multiplicative_bayes_capacity
from discretion.measures.divergences import hockey_stick, renyi_divergence, total_variation
from discretion.measures.hyper import Hyper, hyper
from discretion.measures.information import mutual_information
from discretion.measures.local_privacy import ldp_epsilon
from discretion.measures.measure import method
from discretion.measures.pointwise_leakage import PointwiseLeakage, pointwise_maximal_leakage
from discretion.measures.privacy import dp_epsilon, privacy_profile, renyi_dp
from discretion.measures.shannon_capacity import shannon_capacity
from discretion.measures.tradeoff import tradeoff
from discretion.measures.uncertainty import (
    posterior_entropy,
    posterior_guessing_entropy,
    prior_entropy,
    prior_guessing_entropy,
)
from discretion.measures.vulnerability import bayes_risk, leakage, posterior_vulnerability, prior_vulnerability

__all__ = [
    "Hyper",
    "PointwiseLeakage",
    "additive_capacity",
    "arimoto_information",
    "bayes_risk",
    "bayes_security",
    "dp_epsilon",
    "hockey_stick",
    "hyper",
    "ldp_epsilon",
    "leakage",
    "leakiest_pair",
    "leakiest_pairs",
    "maximal_leakage",
    "method",
    "multiplicative_bayes_capacity",
    "mutual_information",
    "pointwise_maximal_leakage",
    "posterior_entropy",
    "posterior_guessing_entropy",
    "posterior_vulnerability",
    "prior_entropy",
    "prior_guessing_entropy",
    "prior_vulnerability",
    "privacy_profile",
    "renyi_divergence",
    "renyi_dp",
    "shannon_capacity",
    "sibson_capacity",
    "sibson_information",
    "total_variation",
    "tradeoff",
]
