"""Figures that occur only in the papers."""
