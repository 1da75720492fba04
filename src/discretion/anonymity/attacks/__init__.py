"""Attacks on a table by an adversary that knows some columns, and the guarantees against them."""
