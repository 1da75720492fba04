"""What two tables of people tell together that neither tells alone."""
