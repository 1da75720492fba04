"""Local mechanisms: what a person's device does to an answer before it leaves."""

from tacit.mechanisms import (
    local_hashing_measures as local_hashing_measures,  # registers the closed forms
    unary_measures as unary_measures,  # registers the closed forms
)
from tacit.mechanisms.channel_mechanism import ChannelMechanism
from tacit.mechanisms.hadamard_response import HadamardResponse
from tacit.mechanisms.iterative_bayesian_update import LikeliestFrequencies, iterative_bayesian_update
from tacit.mechanisms.local_hashing import LocalHashing
from tacit.mechanisms.mechanism import FrequencyError, Mechanism, frequency_error, mechanisms_by_name
from tacit.mechanisms.postprocessing import clipped, norm_sub, simplex_projection
from tacit.mechanisms.pure_protocol import PureProtocol, Support
from tacit.mechanisms.randomized_response import RandomizedResponse
from tacit.mechanisms.subset_selection import SubsetSelection
from tacit.mechanisms.unary_encoding import UnaryEncoding

__all__ = [
    "ChannelMechanism",
    "FrequencyError",
    "HadamardResponse",
    "LikeliestFrequencies",
    "LocalHashing",
    "Mechanism",
    "PureProtocol",
    "RandomizedResponse",
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
