"""Layouts: the columns and rows of a file, before its values are read."""
