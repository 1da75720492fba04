"""The papers' tables and figures, computed anew from public functions only, beside what the papers print."""

from collections.abc import Mapping
from types import MappingProxyType

from tacit.reproduce.item import Item, Paper, Published, Reproduction
from tacit.reproduce.ldp import LDP
from tacit.reproduce.shuffle import SHUFFLE

PAPERS: Mapping[str, Paper] = MappingProxyType({"shuffle": SHUFFLE, "ldp": LDP})

__all__ = ["PAPERS", "Item", "Paper", "Published", "Reproduction"]
