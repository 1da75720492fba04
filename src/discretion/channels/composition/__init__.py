"""Channels composed of channels: cascades, parallel compositions, choices, repeated uses and restrictions."""

from discretion.channels.composition.choice import hidden_choice, visible_choice
from discretion.channels.composition.products import Parallel, cascade, parallel
from discretion.channels.composition.repeated import Repeated, repeated
from discretion.channels.composition.restriction import restricted

__all__ = ["Parallel", "Repeated", "cascade", "hidden_choice", "parallel", "repeated", "restricted", "visible_choice"]
