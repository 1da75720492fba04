"""Population uniqueness: an exact limit from a sample, and estimates by models."""
