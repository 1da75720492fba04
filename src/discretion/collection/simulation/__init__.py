"""A whole collection of a table on this machine: each party a process of its own, every row a person."""
