"""Where draws come from, and many of them at once."""
