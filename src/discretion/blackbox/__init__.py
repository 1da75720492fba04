"""Black boxes: Bayes risk, Bayes security and differential privacy from samples, with intervals at any sample size."""

from discretion.blackbox.attack_curve import estimate_tradeoff
from discretion.blackbox.bayes_risk import estimate_bayes_risk
from discretion.blackbox.bayes_security import estimate_bayes_security
from discretion.blackbox.convergence import Convergence, convergence
from discretion.blackbox.nearest_neighbours import NearestNeighbours
from discretion.blackbox.one_run import estimate_epsilon_in_one_run
from discretion.blackbox.planning import samples_needed
from discretion.blackbox.privacy import estimate_epsilon, estimate_privacy_profile
from discretion.blackbox.privacy_stream import PrivacyStream
from discretion.blackbox.stream import BayesRiskStream

__all__ = [
    "BayesRiskStream",
    "Convergence",
    "NearestNeighbours",
    "PrivacyStream",
    "convergence",
    "estimate_bayes_risk",
    "estimate_bayes_security",
    "estimate_epsilon",
    "estimate_epsilon_in_one_run",
    "estimate_privacy_profile",
    "estimate_tradeoff",
    "samples_needed",
]
