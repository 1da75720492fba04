"""People described by columns, and how much their values say of them."""
