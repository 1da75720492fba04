"""Population uniqueness, from a sample and by models."""
