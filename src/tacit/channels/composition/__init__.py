"""Channels made of channels: one after the other, side by side, one of several, several uses, some secrets only."""

from tacit.channels.composition.choice import hidden_choice, visible_choice
from tacit.channels.composition.products import cascade, parallel
from tacit.channels.composition.repeated import Repeated, repeated
from tacit.channels.composition.restriction import restricted
from tacit.channels.composition.side_by_side import Parallel

__all__ = ["Parallel", "Repeated", "cascade", "hidden_choice", "parallel", "repeated", "restricted", "visible_choice"]
