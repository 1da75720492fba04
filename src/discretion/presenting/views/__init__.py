"""Results in words and tables, for notebooks, pages and documents."""
