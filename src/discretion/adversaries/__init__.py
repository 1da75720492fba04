"""Adversaries: their knowledge (priors, knowledge of a crowd) and their goals (gain functions)."""

from discretion.adversaries.gains import (
    Gain,
    distance_gain,
    gain_function,
    gain_matrix,
    identity_gain,
    k_tries_gain,
    loss_matrix,
    partition_gain,
    set_gain,
)
from discretion.adversaries.knowledge import (
    AllButOne,
    Exchangeable,
    Knowledge,
    PartlyInformed,
    Uninformed,
    WorstAllButOne,
)
from discretion.adversaries.populations import Dirichlet, DirichletMixture, PointMixture, PopulationLaw
from discretion.adversaries.priors import point, uniform

__all__ = [
    "AllButOne",
    "Dirichlet",
    "DirichletMixture",
    "Exchangeable",
    "Gain",
    "Knowledge",
    "PartlyInformed",
    "PointMixture",
    "PopulationLaw",
    "Uninformed",
    "WorstAllButOne",
    "distance_gain",
    "gain_function",
    "gain_matrix",
    "identity_gain",
    "k_tries_gain",
    "loss_matrix",
    "partition_gain",
    "point",
    "set_gain",
    "uniform",
]
