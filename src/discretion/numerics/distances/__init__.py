"""The largest L1 distance between rows of a matrix."""
