"""Discretion measures what your data gives away.

The public names load when they are first used (PEP 562), so importing Discretion costs next to nothing. The stub next
to this file declares their types for type checkers.
"""

from importlib import import_module

from discretion import fork_safety as _fork_safety  # noqa: F401 # pyright: ignore[reportUnusedImport] - what it does at a fork

__version__ = "0.1.0"

_AT_THE_TOP = {
    "discretion.estimate": ("Estimate",),
    "discretion.exact": ("Answer",),
    "discretion.adversaries": (
        "AllButOne",
        "Dirichlet",
        "DirichletMixture",
        "Exchangeable",
        "PartlyInformed",
        "PointMixture",
        "Uninformed",
        "WorstAllButOne",
        "distance_gain",
        "gain_function",
        "gain_matrix",
        "identity_gain",
        "k_tries_gain",
        "loss_matrix",
        "partition_gain",
        "point",
        "set_gain",
        "uniform",
    ),
    "discretion.channels": (
        "Channel",
        "StoredChannel",
        "cascade",
        "hidden_choice",
        "parallel",
        "repeated",
        "restricted",
        "visible_choice",
    ),
    "discretion.measures": (
        "bayes_risk",
        "bayes_security",
        "dp_epsilon",
        "hockey_stick",
        "hyper",
        "ldp_epsilon",
        "leakage",
        "leakiest_pair",
        "leakiest_pairs",
        "method",
        "multiplicative_bayes_capacity",
        "mutual_information",
        "posterior_vulnerability",
        "prior_vulnerability",
        "privacy_profile",
        "renyi_divergence",
        "renyi_dp",
        "shannon_capacity",
        "total_variation",
        "tradeoff",
    ),
    "discretion.refinement": (
        "deficiency",
        "equivalent",
        "refines",
    ),
    "discretion.information": (
        "frequency_posterior",
        "optimal_mechanism",
    ),
    "discretion.mechanisms": (
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
        "frequency_error",
    ),
    "discretion.shuffling": ("Shuffled",),
    "discretion.anonymity": (
        "Marginals",
        "Population",
        "exposure",
        "exposure_bound",
        "exposure_curve",
        "select_columns",
    ),
    "discretion.jobs.audit": ("audit",),
    "discretion.jobs.design": ("design",),
    "discretion.jobs.diff": ("diff",),
    "discretion.jobs.release": ("release",),
    "discretion.jobs.synthetic": ("synthetic_risk",),
    "discretion.jobs.tally": ("tally",),
    "discretion.blackbox": (
        "BayesRiskStream",
        "estimate_bayes_risk",
        "estimate_bayes_security",
        "estimate_epsilon",
        "estimate_privacy_profile",
    ),
}
# Packages whose names are not repeated at the top: `discretion.shuffling.maximum_load`.
_ROOMS = (
    "anonymity",
    "blackbox",
    "charts",
    "errors",
    "information",
    "limits",
    "measures",
    "mechanisms",
    "refinement",
    "security",
    "shuffling",
    "tables",
)
_ROOM_OF = {name: room for room, names in _AT_THE_TOP.items() for name in names}

__all__ = sorted(_ROOM_OF)  # noqa: PLE0605 # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    if name in _ROOM_OF:
        value = getattr(import_module(_ROOM_OF[name]), name)
    elif name in _ROOMS:
        value = import_module(f"discretion.{name}")
    else:
        raise AttributeError(f"module 'discretion' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *_ROOMS]
