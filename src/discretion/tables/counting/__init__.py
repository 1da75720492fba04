"""Counting: rows to sizes of equivalence classes, without any value."""
