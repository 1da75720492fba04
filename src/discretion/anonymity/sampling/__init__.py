"""Exposure of people who are not in a sample, from the sample."""
