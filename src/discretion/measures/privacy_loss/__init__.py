"""Measures of the privacy loss: profiles, ε and Rényi privacy, divergences, and sums of losses."""

from discretion.measures.privacy_loss.differential_privacy import dp_epsilon, ldp_epsilon, privacy_profile, renyi_dp
from discretion.measures.privacy_loss.divergences import hockey_stick, renyi_divergence, total_variation

__all__ = [
    "dp_epsilon",
    "hockey_stick",
    "ldp_epsilon",
    "privacy_profile",
    "renyi_divergence",
    "renyi_dp",
    "total_variation",
]
