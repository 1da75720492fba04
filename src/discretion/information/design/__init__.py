"""Which mechanism is best for a purpose."""
