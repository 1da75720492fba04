"""Statistical anonymity: who stands out in a table of people, and what the table gives away."""

from tacit.anonymity.bound_curve import ExposureBoundCurve
from tacit.anonymity.bounds import counting_bound, exposure_bound, exposure_bound_curve
from tacit.anonymity.class_sizes import ClassSizes, ExposureCurve
from tacit.anonymity.entropy import column_entropies, entropy_exposure_bound, entropy_of_curve
from tacit.anonymity.fingerprints import GivenAway, Surprisal, Surprisals, given_away, surprisal
from tacit.anonymity.future_release import SimulatedEstimates, future_exposure, simulated_estimates
from tacit.anonymity.independence import exposure_if_independent
from tacit.anonymity.measures import (
    exposure,
    exposure_curve,
    inference_vulnerability,
    reidentification_vulnerability,
)
from tacit.anonymity.population import Population
from tacit.anonymity.sampled_exposure import sampled_exposure
from tacit.anonymity.spark import spark_table
from tacit.anonymity.statistical_bounds import statistical_exposure_bounds
from tacit.anonymity.statistical_exposure import statistical_exposure, statistical_exposure_sensitivity
from tacit.anonymity.theorem_bounds import theorem_bound
from tacit.anonymity.threshold import Threshold, as_fraction
from tacit.anonymity.worst_case import worst_exposure

__all__ = [
    "ClassSizes",
    "ExposureBoundCurve",
    "ExposureCurve",
    "GivenAway",
    "Population",
    "SimulatedEstimates",
    "Surprisal",
    "Surprisals",
    "Threshold",
    "as_fraction",
    "column_entropies",
    "counting_bound",
    "entropy_exposure_bound",
    "entropy_of_curve",
    "exposure",
    "exposure_bound",
    "exposure_bound_curve",
    "exposure_curve",
    "exposure_if_independent",
    "future_exposure",
    "given_away",
    "inference_vulnerability",
    "reidentification_vulnerability",
    "sampled_exposure",
    "simulated_estimates",
    "spark_table",
    "statistical_exposure",
    "statistical_exposure_bounds",
    "statistical_exposure_sensitivity",
    "surprisal",
    "theorem_bound",
    "worst_exposure",
]
