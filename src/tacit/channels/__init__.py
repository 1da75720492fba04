"""Channels: what an observer sees of a secret, and how channels compose."""

from tacit.channels.channel import Channel, System, as_system
from tacit.channels.choice import hidden_choice, visible_choice
from tacit.channels.composition import cascade, parallel
from tacit.channels.repeated import Repeated, repeated
from tacit.channels.restriction import restricted
from tacit.channels.stored import StoredChannel

__all__ = [
    "Channel",
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
