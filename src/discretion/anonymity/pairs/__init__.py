"""Two tables of people together: matches, differences and joins."""
