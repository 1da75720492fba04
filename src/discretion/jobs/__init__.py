"""Whole jobs: each a function that validates, computes in steps, and returns a frozen result; faces parse and show."""
