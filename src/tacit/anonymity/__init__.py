"""Statistical anonymity: who stands out in a table of people, and what the table gives away."""

from tacit.anonymity.bound_curve import ExposureBoundCurve
from tacit.anonymity.bounds import counting_bound, exposure_bound, exposure_bound_curve
from tacit.anonymity.class_sizes import ClassSizes, ExposureCurve
from tacit.anonymity.independence import exposure_if_independent
from tacit.anonymity.measures import (
    exposure,
    exposure_curve,
    inference_vulnerability,
    reidentification_vulnerability,
)
from tacit.anonymity.population import Population
from tacit.anonymity.theorem_bounds import theorem_bound
from tacit.anonymity.threshold import Threshold, as_fraction
from tacit.anonymity.worst_case import worst_exposure

__all__ = [
    "ClassSizes",
    "ExposureBoundCurve",
    "ExposureCurve",
    "Population",
    "Threshold",
    "as_fraction",
    "counting_bound",
    "exposure",
    "exposure_bound",
    "exposure_bound_curve",
    "exposure_curve",
    "exposure_if_independent",
    "inference_vulnerability",
    "reidentification_vulnerability",
    "theorem_bound",
    "worst_exposure",
]
