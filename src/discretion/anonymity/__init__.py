"""Statistical anonymity: which people stand out in a table, and what the table gives away.

The parameter P of a function is a Population, or any table that `Population` takes, with one row per person: a path, an
address, a pandas, polars, Arrow or Ibis table. Functions of single columns take `Marginals` too. Give exactly one of
``k`` and ``threshold``: a number of people, or a share of them.

All of these functions raise ``UnsupportedError`` if P is something else, or none or both of k and threshold are given;
``InvalidTableError`` if a table cannot be read; ``UnknownColumnError`` if it lacks a column; ``InvalidValueError`` if k
or the threshold is out of range. The *Raises* section of a function lists only its other errors.
"""

from discretion.anonymity.attacks.households import HouseholdRisks, household_risks
from discretion.anonymity.attacks.k_l_t import (
    entropy_l_diversity,
    k_anonymity,
    l_diversity,
    recursive_c_l_diversity,
    t_closeness,
)
from discretion.anonymity.attacks.likeness_disclosure import beta_likeness, delta_disclosure
from discretion.anonymity.attacks.reidentification_inference import Attack, attacks_on_all, inference, reidentification
from discretion.anonymity.attacks.risks import Risk, reidentification_risks
from discretion.anonymity.attacks.special_uniques import SpecialUniques, special_uniques
from discretion.anonymity.attacks.thresholds import PRESETS, Preset, preset
from discretion.anonymity.attacks.wildcards import WildcardGroups, wildcard_groups
from discretion.anonymity.choosing.certificates import CertifyingQuestion, CheapestQuestions, cheapest_questions
from discretion.anonymity.choosing.fewest_suppressions import FewestSuppressions, fewest_suppressions
from discretion.anonymity.choosing.redaction import (
    RedactionLeakage,
    redacted_exposure,
    redaction_leakage,
    redaction_rules,
)
from discretion.anonymity.choosing.redaction_rule import RedactionRule
from discretion.anonymity.choosing.rounds import ColumnSet, HierarchicalRound, hierarchical_rounds
from discretion.anonymity.choosing.selection import SelectedSet, Selection, select_columns
from discretion.anonymity.choosing.trust import ReceivedInformation, TrustDesign, TrustTradeoff, trust_tradeoff
from discretion.anonymity.choosing.value_rounds import ValueQuestion, ValueRound, value_rounds
from discretion.anonymity.exposure.bound_curve import ExposureBoundCurve
from discretion.anonymity.exposure.bounds import exposure_bound, exposure_bound_curve
from discretion.anonymity.exposure.entropy import column_entropies, entropy_exposure_bound, entropy_of_curve
from discretion.anonymity.exposure.exposure import (
    exposure,
    exposure_curve,
)
from discretion.anonymity.exposure.independence import exposure_if_independent
from discretion.anonymity.exposure.theorem_bounds import TheoremBound, theorem_bound
from discretion.anonymity.exposure.worst_case import worst_exposure
from discretion.anonymity.ledgers.count_tables import CountTable, read_count_table
from discretion.anonymity.ledgers.derived_counts import DerivedCount, derived_counts
from discretion.anonymity.ledgers.joint_exposure import JointExposure, joint_exposure
from discretion.anonymity.ledgers.ledger import Ledger, PublishedTable, read_ledger
from discretion.anonymity.people.column_kinds import ColumnKind, column_kinds, person_question
from discretion.anonymity.people.generalised import generalised
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.anonymity.people.surprisal import GivenAway, Surprisal, Surprisals, given_away, surprisal
from discretion.anonymity.sampling.future_bound import SampledMarginals, future_exposure_bound
from discretion.anonymity.sampling.future_release import SimulatedEstimates, future_exposure, simulated_estimates
from discretion.anonymity.sampling.sampled_entropy import sampled_entropy
from discretion.anonymity.sampling.sampled_exposure import sampled_exposure
from discretion.anonymity.sampling.statistical_bounds import statistical_exposure_bounds
from discretion.anonymity.sampling.statistical_exposure import statistical_exposure, statistical_exposure_sensitivity
from discretion.anonymity.uniqueness.model import UniquenessModel
from discretion.anonymity.uniqueness.population_uniqueness import PopulationUniqueness, population_uniqueness
from discretion.tables.counting.class_sizes import ClassSizes, ExposureCurve
from discretion.tables.counting.threshold import Threshold, as_fraction

__all__ = [
    "PRESETS",
    "Attack",
    "CertifyingQuestion",
    "CheapestQuestions",
    "ClassSizes",
    "ColumnKind",
    "ColumnSet",
    "CountTable",
    "DerivedCount",
    "ExposureBoundCurve",
    "ExposureCurve",
    "FewestSuppressions",
    "GivenAway",
    "HierarchicalRound",
    "HouseholdRisks",
    "JointExposure",
    "Ledger",
    "Marginals",
    "Population",
    "PopulationUniqueness",
    "Preset",
    "PublishedTable",
    "ReceivedInformation",
    "RedactionLeakage",
    "RedactionRule",
    "Risk",
    "SampledMarginals",
    "SelectedSet",
    "Selection",
    "SimulatedEstimates",
    "SpecialUniques",
    "Surprisal",
    "Surprisals",
    "TheoremBound",
    "Threshold",
    "TrustDesign",
    "TrustTradeoff",
    "UniquenessModel",
    "ValueQuestion",
    "ValueRound",
    "WildcardGroups",
    "as_fraction",
    "attacks_on_all",
    "beta_likeness",
    "cheapest_questions",
    "column_entropies",
    "column_kinds",
    "delta_disclosure",
    "derived_counts",
    "entropy_exposure_bound",
    "entropy_l_diversity",
    "entropy_of_curve",
    "exposure",
    "exposure_bound",
    "exposure_bound_curve",
    "exposure_curve",
    "exposure_if_independent",
    "fewest_suppressions",
    "future_exposure",
    "future_exposure_bound",
    "generalised",
    "given_away",
    "hierarchical_rounds",
    "household_risks",
    "inference",
    "joint_exposure",
    "k_anonymity",
    "l_diversity",
    "person_question",
    "population_uniqueness",
    "preset",
    "read_count_table",
    "read_ledger",
    "recursive_c_l_diversity",
    "redacted_exposure",
    "redaction_leakage",
    "redaction_rules",
    "reidentification",
    "reidentification_risks",
    "sampled_entropy",
    "sampled_exposure",
    "select_columns",
    "simulated_estimates",
    "special_uniques",
    "statistical_exposure",
    "statistical_exposure_bounds",
    "statistical_exposure_sensitivity",
    "surprisal",
    "t_closeness",
    "theorem_bound",
    "trust_tradeoff",
    "value_rounds",
    "wildcard_groups",
    "worst_exposure",
]
