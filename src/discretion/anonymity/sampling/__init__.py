"""What a sample says of the exposure of people who are not in it."""
