"""The stored counts of a round at a curator and an analyst: numbers of equal answers, and no message."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from discretion.collection.errors import ConflictError, MalformedError, UnknownError
from discretion.collection.parts.counting import BatchCounts, tallies_of
from discretion.collection.parts.durable import write_whole
from discretion.collection.services.home import Home
from discretion.collection.wire.records import decoded, encoded
from discretion.collection.wire.reports import ShufflerReport, decoded_reports, encoded_reports
from discretion.collection.wire.rounds import Round
from discretion.numerics.arrays import Integers

_LONGEST = 1 << 32
_Kept = TypeVar("_Kept")
# The kinds of messages that do not count.
_LOST = ("dropped", "repeated", "unknown", "unadmitted")


@dataclass(frozen=True)
class Tallies:
    """The counts of each group of a round, and the numbers of messages that do not count."""

    groups: list[Integers]
    dropped: int
    repeated: int
    unknown: int
    unadmitted: int
    reports: tuple[ShufflerReport, ...]


def write_tallies(path: Path, batch: BatchCounts, round_: Round, reports: Sequence[ShufflerReport]) -> None:
    """Store the counts of a round of the curator."""
    _write(path, batch, reports, {"groups": [tally.tolist() for tally in tallies_of(batch, round_)]})


def read_tallies(path: Path) -> Tallies:
    """Return the stored counts of a round of the curator."""
    return _read(path, _tallies)


def _tallies(fields: Any) -> Tallies:
    groups = [np.array(each, np.int64) for each in fields["groups"]]
    return Tallies(groups, **{name: fields[name] for name in _LOST}, reports=_reports(fields))


def write_answers(path: Path, batch: BatchCounts, reports: Sequence[ShufflerReport]) -> None:
    """Store the count of each combination of answers in the analyst's round."""
    _write(path, batch, reports, {"told": batch.combinations.tolist(), "times": batch.times.tolist()})


def read_answers(path: Path) -> tuple[BatchCounts, tuple[ShufflerReport, ...]]:
    """Return the stored counts of the analyst's round, and the shufflers' reports of it."""
    return _read(path, _answers)


def _answers(fields: Any) -> tuple[BatchCounts, tuple[ShufflerReport, ...]]:
    combinations = np.array(fields["told"], np.int64).reshape(len(fields["times"]), -1)
    batch = BatchCounts(combinations, np.array(fields["times"], np.int64), **{name: fields[name] for name in _LOST})
    return batch, _reports(fields)


def reason_path(home: Home, number: int) -> Path:
    """Return the file in which a home stores the reason why it destroyed the batch of a round."""
    return home.folder / f"discarded-{number}"


def write_reason(home: Home, number: int, reason: str) -> None:
    """Store the reason why the batch of a round is destroyed."""
    write_whole(reason_path(home, number), reason.encode())


def read_reason(home: Home, *numbers: int) -> str | None:
    """Return the reason why the batch of one of these rounds was destroyed; None if none was."""
    paths = [path for path in (reason_path(home, number) for number in numbers) if path.exists()]
    return paths[0].read_text(errors="replace") if paths else None


def check_kept(home: Home, *numbers: int) -> None:
    """Raise a `ConflictError` with the reason if the batch of one of these rounds was destroyed."""
    if (reason := read_reason(home, *numbers)) is not None:
        raise ConflictError(f"the {home.role} destroyed the answers and the task ends: {reason}")


def _write(path: Path, batch: BatchCounts, reports: Sequence[ShufflerReport], more: dict[str, Any]) -> None:
    rest = {name: getattr(batch, name) for name in _LOST}
    write_whole(path, encoded({**more, **rest, "reports": encoded_reports(reports)}))


def _reports(fields: Mapping[str, Any]) -> tuple[ShufflerReport, ...]:
    return decoded_reports(fields["reports"], None)


def _read(path: Path, made: Callable[[Any], _Kept]) -> _Kept:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UnknownError(
            "the answers of this round are not counted yet; discretion collect status of the first shuffler shows "
            "whether the task has ended"
        ) from None
    try:
        return made(decoded(data, "the stored counts of a round", at_most=_LONGEST))
    except (ValueError, KeyError, TypeError, OverflowError):
        raise MalformedError(f"{path} is damaged, and the counts of the round with it; end the task") from None
