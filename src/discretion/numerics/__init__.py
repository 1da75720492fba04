"""Numerical kernels: no word of secrets, channels or people down here."""
