"""Measures of information: Shannon's and those of an order α, entropies, pointwise leakage, and their capacities."""

from discretion.measures.information.alpha_information import (
    arimoto_information,
    maximal_leakage,
    sibson_information,
)
from discretion.measures.information.capacities import shannon_capacity, sibson_capacity
from discretion.measures.information.entropies import (
    posterior_entropy,
    posterior_guessing_entropy,
    prior_entropy,
    prior_guessing_entropy,
)
from discretion.measures.information.mutual_information import mutual_information
from discretion.measures.information.pointwise_leakage import PointwiseLeakage, pointwise_maximal_leakage

__all__ = [
    "PointwiseLeakage",
    "arimoto_information",
    "maximal_leakage",
    "mutual_information",
    "pointwise_maximal_leakage",
    "posterior_entropy",
    "posterior_guessing_entropy",
    "prior_entropy",
    "prior_guessing_entropy",
    "shannon_capacity",
    "sibson_capacity",
    "sibson_information",
]
