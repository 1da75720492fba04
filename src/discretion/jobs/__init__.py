"""Whole jobs: each is a function that checks its options, computes in steps and returns a frozen result."""
