"""Exposure: the exact share of exposed people, and bounds that need less than the table."""
