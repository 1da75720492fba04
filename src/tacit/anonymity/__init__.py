"""Statistical anonymity: who stands out in a table of people, and what the table gives away."""

from tacit.anonymity.bounds import counting_bound, exposure_bound
from tacit.anonymity.class_sizes import ClassSizes, ExposureCurve
from tacit.anonymity.measures import (
    exposure,
    exposure_curve,
    inference_vulnerability,
    reidentification_vulnerability,
)
from tacit.anonymity.population import Population
from tacit.anonymity.threshold import Threshold, as_fraction

__all__ = [
    "ClassSizes",
    "ExposureCurve",
    "Population",
    "Threshold",
    "as_fraction",
    "counting_bound",
    "exposure",
    "exposure_bound",
    "exposure_curve",
    "inference_vulnerability",
    "reidentification_vulnerability",
]
