"""The public names, for type checkers; the module itself loads them lazily."""

from tacit import charts as charts, errors as errors
from tacit.adversaries import (
    AllButOne as AllButOne,
    Dirichlet as Dirichlet,
    Exchangeable as Exchangeable,
    PartlyInformed as PartlyInformed,
    PointMixture as PointMixture,
    Uninformed as Uninformed,
    WorstAllButOne as WorstAllButOne,
    gain_matrix as gain_matrix,
    identity_gain as identity_gain,
    point as point,
    uniform as uniform,
)
from tacit.anonymity import (
    Population as Population,
    exposure as exposure,
    exposure_bound as exposure_bound,
    exposure_curve as exposure_curve,
    inference_vulnerability as inference_vulnerability,
    reidentification_vulnerability as reidentification_vulnerability,
)
from tacit.auditing import (
    audit as audit,
)
from tacit.blackbox import (
    BayesRiskStream as BayesRiskStream,
    NearestNeighbours as NearestNeighbours,
    convergence as convergence,
    estimate_bayes_risk as estimate_bayes_risk,
    estimate_bayes_security as estimate_bayes_security,
    samples_needed as samples_needed,
)
from tacit.channels import (
    Channel as Channel,
    StoredChannel as StoredChannel,
    cascade as cascade,
    hidden_choice as hidden_choice,
    parallel as parallel,
    repeated as repeated,
    restricted as restricted,
    visible_choice as visible_choice,
)
from tacit.estimate import (
    Estimate as Estimate,
)
from tacit.ldp import (
    asymptotic_utility as asymptotic_utility,
    asymptotic_utility_bound as asymptotic_utility_bound,
    average_privacy as average_privacy,
    digit_utility as digit_utility,
    distribution_utility as distribution_utility,
    effective_participation as effective_participation,
    frequency_posterior as frequency_posterior,
    information_split as information_split,
    is_faithful as is_faithful,
    optimal_mechanism as optimal_mechanism,
    population_information as population_information,
    tally_utility as tally_utility,
    worst_case_privacy as worst_case_privacy,
)
from tacit.measures import (
    bayes_risk as bayes_risk,
    bayes_risk_bounds as bayes_risk_bounds,
    bayes_security as bayes_security,
    bayes_security_bounds as bayes_security_bounds,
    bayes_security_of_databases as bayes_security_of_databases,
    bayes_security_of_ldp as bayes_security_of_ldp,
    delta_of_bayes_security as delta_of_bayes_security,
    epsilon_of_bayes_security as epsilon_of_bayes_security,
    hockey_stick as hockey_stick,
    ldp_epsilon as ldp_epsilon,
    leakage as leakage,
    leakiest_pair as leakiest_pair,
    leakiest_pairs as leakiest_pairs,
    membership_advantage as membership_advantage,
    method as method,
    multiplicative_bayes_capacity as multiplicative_bayes_capacity,
    mutual_information as mutual_information,
    posterior_vulnerability as posterior_vulnerability,
    prior_vulnerability as prior_vulnerability,
    privacy_profile as privacy_profile,
    renyi_divergence as renyi_divergence,
    shuffle_epsilon as shuffle_epsilon,
    shuffle_renyi as shuffle_renyi,
    success_probability as success_probability,
    total_variation as total_variation,
    yeom_advantage as yeom_advantage,
)
from tacit.mechanisms import (
    ChannelMechanism as ChannelMechanism,
    HadamardResponse as HadamardResponse,
    LocalHashing as LocalHashing,
    RandomizedResponse as RandomizedResponse,
    SubsetSelection as SubsetSelection,
    UnaryEncoding as UnaryEncoding,
    clipped as clipped,
    frequency_error as frequency_error,
    iterative_bayesian_update as iterative_bayesian_update,
    norm_sub as norm_sub,
    simplex_projection as simplex_projection,
)
from tacit.shuffling import (
    Shuffled as Shuffled,
    asymptotic_vulnerability as asymptotic_vulnerability,
    dataset_channel as dataset_channel,
    full_shuffle_channel as full_shuffle_channel,
    largest_epsilon as largest_epsilon,
    maximum_load as maximum_load,
    maximum_load_bounds as maximum_load_bounds,
    privacy_loss_distribution as privacy_loss_distribution,
    reduced_dataset_channel as reduced_dataset_channel,
    reduced_shuffle_channel as reduced_shuffle_channel,
    smallest_crowd as smallest_crowd,
)
