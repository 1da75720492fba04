"""Statistical anonymity: who stands out in a table of people, and what the table gives away."""

from tacit.anonymity.attacks import Attack, attacks_on_all, inference, reidentification
from tacit.anonymity.bound_curve import ExposureBoundCurve
from tacit.anonymity.bounds import counting_bound, exposure_bound, exposure_bound_curve
from tacit.anonymity.class_sizes import ClassSizes, ExposureCurve
from tacit.anonymity.entropy import column_entropies, entropy_exposure_bound, entropy_of_curve
from tacit.anonymity.fingerprints import GivenAway, Surprisal, Surprisals, given_away, surprisal
from tacit.anonymity.future_release import SimulatedEstimates, future_exposure, simulated_estimates
from tacit.anonymity.generalising import generalised
from tacit.anonymity.independence import exposure_if_independent
from tacit.anonymity.measures import (
    exposure,
    exposure_curve,
    inference_vulnerability,
    reidentification_vulnerability,
)
from tacit.anonymity.population import Population
from tacit.anonymity.redaction import RedactionLeakage, RedactionRule, redaction_leakage, redaction_rules
from tacit.anonymity.redaction_exposure import redacted_exposure
from tacit.anonymity.release import entropy_l_diversity, k_anonymity, l_diversity, t_closeness
from tacit.anonymity.rounds import AskedSet, Round, hierarchical_rounds
from tacit.anonymity.sampled_exposure import sampled_exposure
from tacit.anonymity.selection import SelectedSet, Selection, select_columns
from tacit.anonymity.spark import spark_table
from tacit.anonymity.statistical_bounds import statistical_exposure_bounds
from tacit.anonymity.statistical_exposure import statistical_exposure, statistical_exposure_sensitivity
from tacit.anonymity.theorem_bounds import theorem_bound
from tacit.anonymity.threshold import Threshold, as_fraction
from tacit.anonymity.worst_case import worst_exposure

__all__ = [
    "AskedSet",
    "Attack",
    "ClassSizes",
    "ExposureBoundCurve",
    "ExposureCurve",
    "GivenAway",
    "Population",
    "RedactionLeakage",
    "RedactionRule",
    "Round",
    "SelectedSet",
    "Selection",
    "SimulatedEstimates",
    "Surprisal",
    "Surprisals",
    "Threshold",
    "as_fraction",
    "attacks_on_all",
    "column_entropies",
    "counting_bound",
    "entropy_exposure_bound",
    "entropy_l_diversity",
    "entropy_of_curve",
    "exposure",
    "exposure_bound",
    "exposure_bound_curve",
    "exposure_curve",
    "exposure_if_independent",
    "future_exposure",
    "generalised",
    "given_away",
    "hierarchical_rounds",
    "inference",
    "inference_vulnerability",
    "k_anonymity",
    "l_diversity",
    "redacted_exposure",
    "redaction_leakage",
    "redaction_rules",
    "reidentification",
    "reidentification_vulnerability",
    "sampled_exposure",
    "select_columns",
    "simulated_estimates",
    "spark_table",
    "statistical_exposure",
    "statistical_exposure_bounds",
    "statistical_exposure_sensitivity",
    "surprisal",
    "t_closeness",
    "theorem_bound",
    "worst_exposure",
]
