"""How much of a person's own information stays hers."""
