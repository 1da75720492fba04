"""Several systems that are all seen, whose joint channel is not written down until something needs it."""

import math
from dataclasses import dataclass
from functools import cached_property, reduce

from discretion import limits
from discretion.channels.channel import Channel, Composable, System
from discretion.channels.labels import check_labels, unlabelled
from discretion.channels.storage import leading
from discretion.errors import TooLargeError, UnsupportedError


@dataclass(frozen=True, eq=False)
class Parallel(Composable):
    """What all of the parts put out, independently, for the same secret; made by `discretion.parallel`.

    Measures that add up over the parts, for each pair of secrets, are taken of each part. Others are of the explicit
    channel while it is small; beyond, certified bounds of those of the parts.
    """

    parts: tuple[System, ...]

    @property
    def secrets(self) -> int:
        """How many values the secret can take."""
        return self.parts[0].secrets

    @cached_property
    def is_small(self) -> bool:
        """Whether the explicit channel fits in memory."""
        try:
            columns = [part.channel().shape[1] for part in self.parts]
        except (TooLargeError, UnsupportedError):  # a part has none
            return False
        return self.secrets * math.prod(columns) <= limits.current().most_entries

    def channel(self) -> Channel:
        """Return the explicit channel, whose outputs are pairs of those of the parts, or raise TooLargeError."""
        return reduce(expanded, (part.channel() for part in self.parts))


def expanded(first: Channel, second: Channel) -> Channel:
    """Return the explicit channel of two side by side, or raise TooLargeError."""
    check_labels(first.inputs, second.inputs, "the first channel's inputs", "the second's inputs")
    outputs = tuple((y, z) for y in first.outputs for z in second.outputs)
    inputs = second.inputs if unlabelled(first.inputs) else first.inputs
    products = leading([first.storage, second.storage]).row_products(first.storage, second.storage)
    return Channel.derived(products, inputs, outputs)
