"""Local mechanisms: what a person's device does to an answer before it leaves."""

from tacit.mechanisms import symmetric_capacity as symmetric_capacity  # registers what symmetry says
from tacit.mechanisms.estimating.frequency_error import FrequencyError, frequency_error
from tacit.mechanisms.estimating.iterative_bayesian_update import LikeliestFrequencies, iterative_bayesian_update
from tacit.mechanisms.estimating.postprocessing import clipped, norm_sub, simplex_projection
from tacit.mechanisms.mechanism import Mechanism
from tacit.mechanisms.noise import (
    attack_curves as attack_curves,  # registers the best attacks
    composed_noise as composed_noise,  # registers what noises are together
    noise_measures as noise_measures,  # registers what follows from the hockey-stick divergence
    noisy_reports as noisy_reports,  # registers what reports beside noise are
)
from tacit.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from tacit.mechanisms.noise.gaussian import Gaussian
from tacit.mechanisms.noise.geometric import Geometric
from tacit.mechanisms.noise.laplace import Laplace
from tacit.mechanisms.noise.subsampled_gaussian import SubsampledGaussian
from tacit.mechanisms.own_measures import own_measures
from tacit.mechanisms.protocols import (
    local_hashing_measures as local_hashing_measures,  # registers the closed forms
    unary_measures as unary_measures,  # registers the closed forms
)
from tacit.mechanisms.protocols.channel_mechanism import ChannelMechanism
from tacit.mechanisms.protocols.exponential import Exponential
from tacit.mechanisms.protocols.hadamard_response import HadamardResponse
from tacit.mechanisms.protocols.local_hashing import LocalHashing
from tacit.mechanisms.protocols.pure_protocol import PureProtocol
from tacit.mechanisms.protocols.randomized_response import RandomizedResponse
from tacit.mechanisms.protocols.subset_selection import SubsetSelection
from tacit.mechanisms.protocols.unary_encoding import UnaryEncoding
from tacit.mechanisms.reporting import Reporting, Response, Sender, Support, SupportSizes, reporting
from tacit.mechanisms.wire import Encodable

__all__ = [
    "ChannelMechanism",
    "DiscreteGaussian",
    "Encodable",
    "Exponential",
    "FrequencyError",
    "Gaussian",
    "Geometric",
    "HadamardResponse",
    "Laplace",
    "LikeliestFrequencies",
    "LocalHashing",
    "Mechanism",
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
]
