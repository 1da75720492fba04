"""Attacks by a synthetic table on the people it was made from, compared with held-out people."""
