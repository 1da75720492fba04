"""Black boxes: what their samples say of the Bayes risk and the Bayes security, with intervals that hold."""

from tacit.blackbox.bayes_risk import estimate_bayes_risk
from tacit.blackbox.bayes_security import estimate_bayes_security
from tacit.blackbox.convergence import Convergence, convergence
from tacit.blackbox.nearest_neighbours import NearestNeighbours
from tacit.blackbox.planning import samples_needed
from tacit.blackbox.stream import BayesRiskStream

__all__ = [
    "BayesRiskStream",
    "Convergence",
    "NearestNeighbours",
    "convergence",
    "estimate_bayes_risk",
    "estimate_bayes_security",
    "samples_needed",
]
