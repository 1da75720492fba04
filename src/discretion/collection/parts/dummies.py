"""The dummies by which a shuffler adds noise to every count: messages like people's, with answers that nobody gave."""

from collections.abc import Iterator
from itertools import product
from secrets import token_bytes

from discretion.collection.wire.rounds import SALT_BYTES, Round
from discretion.collection.wire.sealing import sealed


class Dummies:
    """A shuffler's dummies in a round, drawn once.

    The dummies are sealed like the messages that come to this shuffler, and are opened and mixed with them, so no later
    party can distinguish them.

    Parameters
    ----------
    round_
        The round.
    place
        The place of the shuffler, from 0.
    """

    def __init__(self, round_: Round, place: int) -> None:
        self._round, self._layers = round_, round_.layers[: len(round_.layers) - place]
        self._numbers: list[dict[tuple[int, ...], int]] = []
        if (noise := round_.task.noise) is not None:
            for group in range(round_.messages):
                combinations = product(*map(range, round_.cells(group)))
                self._numbers.append({codes: noise.draw() for codes in combinations})

    @property
    def added(self) -> tuple[int, ...]:
        """The number of dummies of each group."""
        return tuple(sum(numbers.values()) for numbers in self._numbers)

    def __iter__(self) -> Iterator[bytes]:
        for group, numbers in enumerate(self._numbers):
            for codes, number in numbers.items():
                for _ in range(number):
                    plain = self._round.plain_form.pack(group, *codes, token_bytes(SALT_BYTES))
                    yield sealed(plain, self._layers)
