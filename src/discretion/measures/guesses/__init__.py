"""Measures of the best guess: vulnerabilities, leakage, Bayes risk and security, their capacities, and hypers."""

from discretion.measures.guesses.bayes_security import bayes_security, leakiest_pair, leakiest_pairs
from discretion.measures.guesses.capacities import additive_capacity, multiplicative_bayes_capacity
from discretion.measures.guesses.hyper import Hyper, hyper
from discretion.measures.guesses.vulnerability import (
    bayes_risk,
    leakage,
    posterior_vulnerability,
    prior_vulnerability,
)

__all__ = [
    "Hyper",
    "additive_capacity",
    "bayes_risk",
    "bayes_security",
    "hyper",
    "leakage",
    "leakiest_pair",
    "leakiest_pairs",
    "multiplicative_bayes_capacity",
    "posterior_vulnerability",
    "prior_vulnerability",
]
