"""A table of people that may go out: its columns coarsened and its rows suppressed as little as a goal asks for."""
