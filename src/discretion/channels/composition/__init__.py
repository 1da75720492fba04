"""Channels made of channels: one after the other, side by side, one of several, several uses, some secrets only."""

from discretion.channels.composition.choice import hidden_choice, visible_choice
from discretion.channels.composition.products import Parallel, cascade, parallel
from discretion.channels.composition.repeated import Repeated, repeated
from discretion.channels.composition.restriction import restricted

__all__ = ["Parallel", "Repeated", "cascade", "hidden_choice", "parallel", "repeated", "restricted", "visible_choice"]
