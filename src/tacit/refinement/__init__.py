"""Refinement: which of two systems is safer against everybody, and what proves it."""

from tacit.refinement.deficiency import deficiency
from tacit.refinement.equivalent import Equivalence, equivalent
from tacit.refinement.max_case import max_case_refines
from tacit.refinement.order import Order, compare_all
from tacit.refinement.privacy import privacy_refines
from tacit.refinement.refines import refines
from tacit.refinement.verdict import Certificate, PrivacyWitness, Refinement, Witness

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
