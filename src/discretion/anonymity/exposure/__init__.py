"""How many people stand out: exactly, and by bounds that need less than the table."""
