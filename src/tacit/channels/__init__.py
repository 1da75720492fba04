"""Channels: what an observer sees of a secret, and how channels compose."""

from tacit.channels.channel import Channel, System, as_system
from tacit.channels.choice import hidden_choice, visible_choice
from tacit.channels.composition import cascade, parallel

__all__ = ["Channel", "System", "as_system", "cascade", "hidden_choice", "parallel", "visible_choice"]
