"""What n reports tell of the population, and of the people themselves."""
