"""The spelling of systems, adversaries and laws in one line of text: readers, and `spelled`, which writes it."""

from discretion.spelling.adversaries import knowledge_of, population_of, prior_of
from discretion.spelling.gains import gain_of
from discretion.spelling.mechanisms import family_of, mechanism_of, read_by
from discretion.spelling.spelled import spelled

__all__ = [
    "family_of",
    "gain_of",
    "knowledge_of",
    "mechanism_of",
    "population_of",
    "prior_of",
    "read_by",
    "spelled",
]
