"""Means over laws: sums and integrals over their relevant parts."""
