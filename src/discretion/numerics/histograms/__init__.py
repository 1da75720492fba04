"""Laws of the numbers of draws on each outcome."""
