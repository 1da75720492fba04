"""Local protocols in information: what they keep private, what they tell of the population, which is best."""
