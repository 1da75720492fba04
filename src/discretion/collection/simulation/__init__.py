"""Simulate a collection of a table on this machine: each party a separate process, each row a person."""
