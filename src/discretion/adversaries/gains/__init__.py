"""Gain functions: the gain ``g(w, x)`` of the adversary for each guess w when the secret is x."""

from discretion.adversaries.gains.gain import Gain
from discretion.adversaries.gains.identity import IdentityGain, TriesGain, as_gain, identity_gain, k_tries_gain
from discretion.adversaries.gains.matrix import LossGain, MatrixGain, gain_matrix, loss_matrix
from discretion.adversaries.gains.partition import PartitionGain, partition_gain, set_gain
from discretion.adversaries.gains.tabulated import distance_gain, gain_function

__all__ = [
    "Gain",
    "IdentityGain",
    "LossGain",
    "MatrixGain",
    "PartitionGain",
    "TriesGain",
    "as_gain",
    "distance_gain",
    "gain_function",
    "gain_matrix",
    "identity_gain",
    "k_tries_gain",
    "loss_matrix",
    "partition_gain",
    "set_gain",
]
