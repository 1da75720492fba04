"""Engines: where rows are held, and how questions reach them."""
