"""Choices of the columns and values to publish: the best sets, rounds of questions, rules that suppress rare values."""
