"""What a curator and an analyst keep of a round once it is counted: how many said the same, and no message."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discretion.collection.errors import UnknownError
from discretion.collection.parts.counting import BatchCounts, tallies_of
from discretion.collection.parts.durable import write_whole
from discretion.collection.wire.records import decoded, encoded
from discretion.collection.wire.rounds import Round
from discretion.numerics.arrays import Integers

_LONGEST = 1 << 32


@dataclass(frozen=True)
class Tallies:
    """How many said the same of each group of a round, and what became of the other messages."""

    groups: list[Integers]
    dropped: int
    repeated: int
    unknown: int


def write_tallies(path: Path, batch: BatchCounts, round_: Round) -> None:
    """Write down how many said the same in a round of the curator's."""
    _write(path, batch, {"groups": [tally.tolist() for tally in tallies_of(batch, round_)]})


def read_tallies(path: Path) -> Tallies:
    """Return what is kept of a round of the curator's."""
    fields = _read(path)
    groups = [np.array(each, np.int64) for each in fields["groups"]]
    return Tallies(groups, fields["dropped"], fields["repeated"], fields["unknown"])


def write_answers(path: Path, batch: BatchCounts) -> None:
    """Write down how many gave each combination of answers, in the analyst's round."""
    _write(path, batch, {"told": batch.combinations.tolist(), "times": batch.times.tolist()})


def read_answers(path: Path) -> BatchCounts:
    """Return what is kept of the analyst's round, the same combinations together."""
    fields = _read(path)
    combinations = np.array(fields["told"], np.int64).reshape(len(fields["times"]), -1)
    return BatchCounts(
        combinations, np.array(fields["times"], np.int64), fields["dropped"], fields["repeated"], fields["unknown"]
    )


def _write(path: Path, batch: BatchCounts, more: dict[str, Any]) -> None:
    rest = {"dropped": batch.dropped, "repeated": batch.repeated, "unknown": batch.unknown}
    write_whole(path, encoded({**more, **rest}))


def _read(path: Path) -> Any:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UnknownError("the answers of this round are not counted yet") from None
    return decoded(data, "what is kept of a round", at_most=_LONGEST)
