"""The trade-off of false positives and false negatives of the best attacks: curves, bands, and their statistics."""

from discretion.measures.attack_curves.tradeoff import tradeoff

__all__ = ["tradeoff"]
