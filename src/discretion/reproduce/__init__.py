"""The papers' tables and figures, computed again from public functions only, and compared with the printed numbers."""

from collections.abc import Mapping
from types import MappingProxyType

from discretion.reproduce.anonymity import ANONYMITY
from discretion.reproduce.bayes_security import BAYES_SECURITY
from discretion.reproduce.item import Contents, Item, Paper, PaperReproduction, Published, Reproduction
from discretion.reproduce.ldp import LDP
from discretion.reproduce.shuffle import SHUFFLE

PAPERS: Mapping[str, Paper] = MappingProxyType(
    {"shuffle": SHUFFLE, "ldp": LDP, "bayes-security": BAYES_SECURITY, "anonymity": ANONYMITY}
)

__all__ = ["PAPERS", "Contents", "Item", "Paper", "PaperReproduction", "Published", "Reproduction"]
