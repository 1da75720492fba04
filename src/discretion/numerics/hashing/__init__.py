"""Finite fields, the hash functions over them, and their transform."""
