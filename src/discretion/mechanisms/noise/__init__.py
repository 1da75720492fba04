"""Mechanisms that add noise to a number, alone and together."""
