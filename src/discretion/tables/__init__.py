"""Tables: rows in, counts of people who are alike out."""

from discretion.tables.spark import spark_table

__all__ = ["spark_table"]
