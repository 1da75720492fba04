"""The figures that only the papers have."""
