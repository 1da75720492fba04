"""Local mechanisms: what a person's device does to an answer before it leaves."""

from tacit.mechanisms.mechanism import FrequencyError, Mechanism, frequency_error, mechanisms_by_name
from tacit.mechanisms.randomized_response import RandomizedResponse

__all__ = ["FrequencyError", "Mechanism", "RandomizedResponse", "frequency_error", "mechanisms_by_name"]
