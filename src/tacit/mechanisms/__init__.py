"""Local mechanisms: what a person's device does to an answer before it leaves."""

from tacit.mechanisms import (
    composed_noise as composed_noise,  # registers what noises are together
    local_hashing_measures as local_hashing_measures,  # registers the closed forms
    noise_measures as noise_measures,  # registers what follows from the hockey-stick divergence
    unary_measures as unary_measures,  # registers the closed forms
)
from tacit.mechanisms.channel_mechanism import ChannelMechanism
from tacit.mechanisms.discrete_gaussian import DiscreteGaussian
from tacit.mechanisms.exponential import Exponential
from tacit.mechanisms.gaussian import Gaussian
from tacit.mechanisms.geometric import Geometric
from tacit.mechanisms.hadamard_response import HadamardResponse
from tacit.mechanisms.iterative_bayesian_update import LikeliestFrequencies, iterative_bayesian_update
from tacit.mechanisms.laplace import Laplace
from tacit.mechanisms.local_hashing import LocalHashing
from tacit.mechanisms.mechanism import FrequencyError, Mechanism, frequency_error, mechanisms_by_name
from tacit.mechanisms.postprocessing import clipped, norm_sub, simplex_projection
from tacit.mechanisms.pure_protocol import PureProtocol, Support
from tacit.mechanisms.randomized_response import RandomizedResponse
from tacit.mechanisms.subsampled_gaussian import SubsampledGaussian
from tacit.mechanisms.subset_selection import SubsetSelection
from tacit.mechanisms.unary_encoding import UnaryEncoding

__all__ = [
    "ChannelMechanism",
    "DiscreteGaussian",
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
    "SubsampledGaussian",
    "SubsetSelection",
    "Support",
    "UnaryEncoding",
    "clipped",
    "frequency_error",
    "iterative_bayesian_update",
    "mechanisms_by_name",
    "norm_sub",
    "simplex_projection",
]
