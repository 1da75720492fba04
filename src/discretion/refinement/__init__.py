"""Refinement: orders of systems by their safety against every adversary, with proofs."""

from discretion.refinement.deficiency import deficiency
from discretion.refinement.equivalent import Equivalence, equivalent
from discretion.refinement.max_case import max_case_refines
from discretion.refinement.order import Order, compare_all
from discretion.refinement.privacy import privacy_refines
from discretion.refinement.refines import refines
from discretion.refinement.verdict import Certificate, PrivacyWitness, Refinement, Witness

__all__ = [
    "Certificate",
    "Equivalence",
    "Order",
    "PrivacyWitness",
    "Refinement",
    "Witness",
    "compare_all",
    "deficiency",
    "equivalent",
    "max_case_refines",
    "privacy_refines",
    "refines",
]
