"""Rows to class sizes: how many people are alike, and no value of theirs."""
