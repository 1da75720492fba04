"""Black boxes: what samples say of Bayes risk, Bayes security and differential privacy, with intervals that hold."""

from tacit.blackbox.attack_curve import estimate_tradeoff
from tacit.blackbox.bayes_risk import estimate_bayes_risk
from tacit.blackbox.bayes_security import estimate_bayes_security
from tacit.blackbox.convergence import Convergence, convergence
from tacit.blackbox.nearest_neighbours import NearestNeighbours
from tacit.blackbox.one_run import estimate_epsilon_in_one_run
from tacit.blackbox.planning import samples_needed
from tacit.blackbox.privacy import estimate_epsilon, estimate_privacy_profile
from tacit.blackbox.privacy_stream import PrivacyStream
from tacit.blackbox.stream import BayesRiskStream

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
