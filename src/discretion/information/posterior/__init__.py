"""The posterior law of the population and of its tallies, given the reports."""
