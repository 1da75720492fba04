"""What a file says of its columns and rows before anyone reads it."""
