"""Releases: tables of people whose columns are generalized and rows suppressed as little as a goal allows."""
