"""What a synthetic table tells of the people it was made from, and not of others like them."""
