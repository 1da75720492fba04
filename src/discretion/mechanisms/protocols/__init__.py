"""Local protocols: one of k values in, a report out."""
