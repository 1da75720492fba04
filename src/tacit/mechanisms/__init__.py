"""Local mechanisms: what a person's device does to an answer before it leaves."""

from tacit.mechanisms import unary_measures as unary_measures  # registers the closed forms
from tacit.mechanisms.mechanism import FrequencyError, Mechanism, frequency_error, mechanisms_by_name
from tacit.mechanisms.pure_protocol import PureProtocol, Support
from tacit.mechanisms.randomized_response import RandomizedResponse
from tacit.mechanisms.unary_encoding import UnaryEncoding

__all__ = [
    "FrequencyError",
    "Mechanism",
    "PureProtocol",
    "RandomizedResponse",
    "Support",
    "UnaryEncoding",
    "frequency_error",
    "mechanisms_by_name",
]
