"""Counting: the sizes of equivalence classes of rows, without any value."""
