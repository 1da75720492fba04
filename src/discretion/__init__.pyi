"""The public names, for type checkers; the module itself loads them lazily."""

from discretion import (
    anonymity as anonymity,
    blackbox as blackbox,
    charts as charts,
    errors as errors,
    information as information,
    limits as limits,
    measures as measures,
    mechanisms as mechanisms,
    refinement as refinement,
    security as security,
    shuffling as shuffling,
    tables as tables,
)
from discretion.adversaries import (
    AllButOne as AllButOne,
    Dirichlet as Dirichlet,
    DirichletMixture as DirichletMixture,
    Exchangeable as Exchangeable,
    PartlyInformed as PartlyInformed,
    PointMixture as PointMixture,
    Uninformed as Uninformed,
    WorstAllButOne as WorstAllButOne,
    distance_gain as distance_gain,
    gain_function as gain_function,
    gain_matrix as gain_matrix,
    identity_gain as identity_gain,
    k_tries_gain as k_tries_gain,
    loss_matrix as loss_matrix,
    partition_gain as partition_gain,
    point as point,
    set_gain as set_gain,
    uniform as uniform,
)
from discretion.anonymity import (
    Marginals as Marginals,
    Population as Population,
    exposure as exposure,
    exposure_bound as exposure_bound,
    exposure_curve as exposure_curve,
    select_columns as select_columns,
)
from discretion.blackbox import (
    BayesRiskStream as BayesRiskStream,
    estimate_bayes_risk as estimate_bayes_risk,
    estimate_bayes_security as estimate_bayes_security,
    estimate_epsilon as estimate_epsilon,
    estimate_privacy_profile as estimate_privacy_profile,
)
from discretion.channels import (
    Channel as Channel,
    StoredChannel as StoredChannel,
    cascade as cascade,
    hidden_choice as hidden_choice,
    parallel as parallel,
    repeated as repeated,
    restricted as restricted,
    visible_choice as visible_choice,
)
from discretion.estimate import (
    Estimate as Estimate,
)
from discretion.exact import (
    Answer as Answer,
)
from discretion.information import (
    frequency_posterior as frequency_posterior,
    optimal_mechanism as optimal_mechanism,
)
from discretion.jobs.audit import (
    audit as audit,
)
from discretion.jobs.design import (
    design as design,
)
from discretion.jobs.diff import (
    diff as diff,
)
from discretion.jobs.release import (
    release as release,
)
from discretion.jobs.synthetic import (
    synthetic_risk as synthetic_risk,
)
from discretion.jobs.tally import (
    tally as tally,
)
from discretion.measures import (
    bayes_risk as bayes_risk,
    bayes_security as bayes_security,
    dp_epsilon as dp_epsilon,
    hockey_stick as hockey_stick,
    hyper as hyper,
    ldp_epsilon as ldp_epsilon,
    leakage as leakage,
    leakiest_pair as leakiest_pair,
    leakiest_pairs as leakiest_pairs,
    method as method,
    multiplicative_bayes_capacity as multiplicative_bayes_capacity,
    mutual_information as mutual_information,
    posterior_vulnerability as posterior_vulnerability,
    prior_vulnerability as prior_vulnerability,
    privacy_profile as privacy_profile,
    renyi_divergence as renyi_divergence,
    renyi_dp as renyi_dp,
    shannon_capacity as shannon_capacity,
    total_variation as total_variation,
    tradeoff as tradeoff,
)
from discretion.mechanisms import (
    ChannelMechanism as ChannelMechanism,
    DiscreteGaussian as DiscreteGaussian,
    Exponential as Exponential,
    Gaussian as Gaussian,
    Geometric as Geometric,
    HadamardResponse as HadamardResponse,
    Laplace as Laplace,
    LocalHashing as LocalHashing,
    RandomizedResponse as RandomizedResponse,
    SubsampledGaussian as SubsampledGaussian,
    SubsetSelection as SubsetSelection,
    UnaryEncoding as UnaryEncoding,
    frequency_error as frequency_error,
)
from discretion.refinement import (
    deficiency as deficiency,
    equivalent as equivalent,
    refines as refines,
)
from discretion.shuffling import (
    Shuffled as Shuffled,
)

__version__: str
