"""Laws of how many draws fall on each outcome."""
