"""Tacit measures what data tells without saying it.

The public names load when they are first used (PEP 562), so that importing Tacit costs next to nothing; the stub beside
this file tells type checkers what they are.
"""

from importlib import import_module

from tacit import forks as _forks  # noqa: F401 # pyright: ignore[reportUnusedImport] - what it does at a fork

_ROOMS = {
    "tacit.estimate": ("Estimate",),
    "tacit.adversaries": (
        "AllButOne",
        "Dirichlet",
        "Exchangeable",
        "PartlyInformed",
        "PointMixture",
        "Uninformed",
        "WorstAllButOne",
        "gain_matrix",
        "identity_gain",
        "point",
        "uniform",
    ),
    "tacit.channels": (
        "Channel",
        "StoredChannel",
        "cascade",
        "hidden_choice",
        "parallel",
        "repeated",
        "restricted",
        "visible_choice",
    ),
    "tacit.measures": (
        "bayes_risk",
        "bayes_risk_bounds",
        "bayes_security",
        "bayes_security_bounds",
        "bayes_security_of_databases",
        "bayes_security_of_ldp",
        "delta_of_bayes_security",
        "epsilon_of_bayes_security",
        "hockey_stick",
        "ldp_epsilon",
        "leakage",
        "leakiest_pair",
        "leakiest_pairs",
        "membership_advantage",
        "method",
        "multiplicative_bayes_capacity",
        "mutual_information",
        "posterior_vulnerability",
        "prior_vulnerability",
        "privacy_profile",
        "renyi_divergence",
        "shuffle_epsilon",
        "shuffle_renyi",
        "success_probability",
        "total_variation",
        "yeom_advantage",
    ),
    "tacit.ldp": (
        "asymptotic_utility",
        "asymptotic_utility_bound",
        "average_privacy",
        "digit_utility",
        "distribution_utility",
        "effective_participation",
        "frequency_posterior",
        "information_split",
        "is_faithful",
        "optimal_mechanism",
        "population_information",
        "tally_utility",
        "worst_case_privacy",
    ),
    "tacit.mechanisms": (
        "ChannelMechanism",
        "DiscreteGaussian",
        "Exponential",
        "Gaussian",
        "Geometric",
        "HadamardResponse",
        "Laplace",
        "LocalHashing",
        "RandomizedResponse",
        "SubsampledGaussian",
        "SubsetSelection",
        "UnaryEncoding",
        "clipped",
        "frequency_error",
        "iterative_bayesian_update",
        "norm_sub",
        "simplex_projection",
    ),
    "tacit.shuffling": (
        "Shuffled",
        "asymptotic_vulnerability",
        "dataset_channel",
        "full_shuffle_channel",
        "largest_epsilon",
        "maximum_load",
        "maximum_load_bounds",
        "privacy_loss_distribution",
        "reduced_dataset_channel",
        "reduced_shuffle_channel",
        "smallest_crowd",
    ),
    "tacit.anonymity": (
        "Population",
        "RedactionRule",
        "attacks_on_all",
        "column_entropies",
        "entropy_exposure_bound",
        "entropy_l_diversity",
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
    ),
    "tacit.auditing": ("audit",),
    "tacit.blackbox": (
        "BayesRiskStream",
        "NearestNeighbours",
        "convergence",
        "estimate_bayes_risk",
        "estimate_bayes_security",
        "samples_needed",
    ),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = sorted(_ROOM_OF)  # noqa: PLE0605 # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    if name in _ROOM_OF:
        value = getattr(import_module(_ROOM_OF[name]), name)
    elif name in {"errors", "charts"}:
        value = import_module(f"tacit.{name}")
    else:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "charts", "errors"]
