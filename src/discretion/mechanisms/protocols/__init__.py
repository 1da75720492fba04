"""Local protocols, each of which turns one of k values into a report."""
