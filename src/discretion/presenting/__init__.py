"""The presentation of results: numbers, names, tables that fit their width, JSON, progress, files written whole."""
