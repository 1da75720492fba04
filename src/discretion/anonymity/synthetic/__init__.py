"""Attacks with a synthetic table on the people of its original, compared with attacks on held-out people."""
