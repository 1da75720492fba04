"""Channels: what an observer sees of a secret, how it is kept, and how channels compose."""

from tacit.channels.channel import Channel, System, as_system
from tacit.channels.composition import (
    Parallel,
    Repeated,
    cascade,
    hidden_choice,
    parallel,
    repeated,
    restricted,
    visible_choice,
)
from tacit.channels.stored import StoredChannel

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
