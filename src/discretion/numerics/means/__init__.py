"""Means over laws: sums and integrals taken where they matter."""
