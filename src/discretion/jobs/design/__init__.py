"""The design of a question: a randomizer, its ε, and the number of people."""

from discretion.jobs.design.job import design, run_design
from discretion.jobs.design.result import Design, ProtocolDesign

__all__ = ["Design", "ProtocolDesign", "design", "run_design"]
