"""The information of n reports on the population, and on the people themselves."""
