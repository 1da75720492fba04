"""Exposure: the exact share, and bounds that need less than the table."""
