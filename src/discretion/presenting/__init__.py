"""How results are said: numbers, names, tables that fit their width, JSON, progress, files written whole."""
