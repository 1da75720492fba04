"""Results in words and tables, before it is known whether a notebook, a page or a document shows them."""
