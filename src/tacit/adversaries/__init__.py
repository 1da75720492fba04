"""Adversaries: what they know (priors, knowledge of a crowd) and what they want (gains)."""

from tacit.adversaries.gains import Gain, gain_matrix, identity_gain
from tacit.adversaries.knowledge import AllButOne, Knowledge, Uninformed
from tacit.adversaries.priors import point, uniform

__all__ = ["AllButOne", "Gain", "Knowledge", "Uninformed", "gain_matrix", "identity_gain", "point", "uniform"]
