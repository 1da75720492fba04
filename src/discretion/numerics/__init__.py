"""Numerical kernels, without any notion of secrets, channels or people."""
