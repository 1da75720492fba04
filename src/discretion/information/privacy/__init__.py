"""The share of a person's own information that stays private: on average, and in the worst case."""
