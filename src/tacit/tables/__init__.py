"""Tables: rows in, counts of people who are alike out."""

from tacit.tables.spark import spark_table

__all__ = ["spark_table"]
