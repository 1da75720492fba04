"""From reports to shares of a population."""
