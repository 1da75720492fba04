"""The spelling of systems, adversaries, laws and rules in one line of text: readers, and `spelled`, which writes it."""

from discretion.spelling.adversaries import knowledge_of, population_of, prior_of
from discretion.spelling.gains import gain_of
from discretion.spelling.mechanisms import family_of, mechanism_of, read_by
from discretion.spelling.rules import rule_of
from discretion.spelling.spelled import spelled

__all__ = [
    "family_of",
    "gain_of",
    "knowledge_of",
    "mechanism_of",
    "population_of",
    "prior_of",
    "read_by",
    "rule_of",
    "spelled",
]
