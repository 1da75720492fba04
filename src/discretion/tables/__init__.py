"""Tables: sources of rows, and counts of their equivalence classes."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discretion.tables.spark import spark_table

__all__ = ["spark_table"]


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module("discretion.tables.spark"), name)  # which measures without a table need not load
    raise AttributeError(f"module 'discretion.tables' has no attribute {name!r}")
