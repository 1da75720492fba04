"""Exposure of people who are not in a sample, estimated or bounded from the sample."""
