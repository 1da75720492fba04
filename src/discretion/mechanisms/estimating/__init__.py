"""Estimates of the shares of a population from reports, and their errors."""
