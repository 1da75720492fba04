"""Which columns and values to give away: the best sets, rounds of questions, rare values redacted."""
