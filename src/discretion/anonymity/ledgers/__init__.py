"""Ledgers of publications about the same people, and the joint exposure by a next publication."""
