"""How well the best attacks trade false positives for false negatives: curves, bands of them, and what follows."""

from discretion.measures.attack_curves.tradeoff import tradeoff

__all__ = ["tradeoff"]
