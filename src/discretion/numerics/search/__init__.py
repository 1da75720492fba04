"""Searches that prove what they find."""
