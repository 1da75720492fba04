"""The share of a person's own information that stays private."""
