"""Channels from secrets to observations: their probabilities, how these are stored, and how channels compose."""

from discretion.channels.channel import Channel, System, as_system
from discretion.channels.composition import (
    Parallel,
    Repeated,
    cascade,
    hidden_choice,
    parallel,
    repeated,
    restricted,
    visible_choice,
)
from discretion.channels.stored import StoredChannel

__all__ = [
    "Channel",
    "Parallel",
    "Repeated",
    "StoredChannel",
    "System",
    "as_system",
    "cascade",
    "hidden_choice",
    "parallel",
    "repeated",
    "restricted",
    "visible_choice",
]
