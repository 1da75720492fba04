"""The search for the best mechanism for a goal."""
