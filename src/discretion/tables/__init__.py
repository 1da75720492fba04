"""Tables: sources of rows, and counts of their equivalence classes."""

from discretion.tables.spark import spark_table

__all__ = ["spark_table"]
