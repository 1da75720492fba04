"""Mechanisms that add noise to a number, and their compositions."""
