"""Tables: rows in, counts of equivalence classes out."""

from discretion.tables.spark import spark_table

__all__ = ["spark_table"]
