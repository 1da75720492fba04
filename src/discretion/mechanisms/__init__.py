"""Local mechanisms: randomizers that a person's device applies to an answer before it sends it."""

from discretion.mechanisms.estimating.frequency_error import FrequencyError, frequency_error, users_needed
from discretion.mechanisms.estimating.iterative_bayesian_update import LikeliestFrequencies, iterative_bayesian_update
from discretion.mechanisms.estimating.postprocessing import clipped, norm_sub, simplex_projection
from discretion.mechanisms.mechanism import Mechanism
from discretion.mechanisms.noise import (
    attack_curves as attack_curves,  # registers the best attacks
    composed_noise as composed_noise,  # registers sums of noises
    noise_measures as noise_measures,  # registers measures by the hockey-stick divergence
    noisy_reports as noisy_reports,  # registers reports together with noise
)
from discretion.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from discretion.mechanisms.noise.gaussian import Gaussian
from discretion.mechanisms.noise.geometric import Geometric
from discretion.mechanisms.noise.laplace import Laplace
from discretion.mechanisms.noise.subsampled_gaussian import SubsampledGaussian
from discretion.mechanisms.protocols import (
    unary_measures as unary_measures,  # registers the closed forms
)
from discretion.mechanisms.protocols.channel_mechanism import ChannelMechanism
from discretion.mechanisms.protocols.d_bit_flip import DBitFlip
from discretion.mechanisms.protocols.dominating_pair import DominatingPair
from discretion.mechanisms.protocols.exponential import Exponential
from discretion.mechanisms.protocols.hadamard_response import HadamardResponse
from discretion.mechanisms.protocols.local_hashing import LocalHashing
from discretion.mechanisms.protocols.longitudinal import Longitudinal
from discretion.mechanisms.protocols.memoized_rounds import MemoizedRounds
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse
from discretion.mechanisms.protocols.subset_selection import SubsetSelection
from discretion.mechanisms.protocols.unary_encoding import UnaryEncoding
from discretion.mechanisms.reporting import Reporting, Response, Sender, Support, SupportSizes, own_measures, reporting
from discretion.mechanisms.wire import Encodable

__all__ = [
    "ChannelMechanism",
    "DBitFlip",
    "DiscreteGaussian",
    "DominatingPair",
    "Encodable",
    "Exponential",
    "FrequencyError",
    "Gaussian",
    "Geometric",
    "HadamardResponse",
    "Laplace",
    "LikeliestFrequencies",
    "LocalHashing",
    "Longitudinal",
    "Mechanism",
    "MemoizedRounds",
    "PureProtocol",
    "RandomizedResponse",
    "Reporting",
    "Response",
    "Sender",
    "SubsampledGaussian",
    "SubsetSelection",
    "Support",
    "SupportSizes",
    "UnaryEncoding",
    "clipped",
    "frequency_error",
    "iterative_bayesian_update",
    "norm_sub",
    "own_measures",
    "reporting",
    "simplex_projection",
    "users_needed",
]
