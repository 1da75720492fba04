"""Opening the last layer, and counting: single answers, or those of several features together.

What was said is kept as how often each answer was given. To find messages that are there twice, all go through disk,
the same ones into the same file: memory holds one file of 256, and the counts.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discretion.collection.parts.buckets import open_buckets, rows_of
from discretion.collection.parts.decrypting import Opener
from discretion.collection.parts.shuffling import blocks_of
from discretion.collection.wire.rounds import SALT_BYTES, Round
from discretion.numerics.arrays import Booleans, Integers


@dataclass(frozen=True)
class BatchCounts:
    """What a batch holds.

    Parameters
    ----------
    combinations
        What messages that count say, each once: the place of a group of features, and the codes of the answers to
        these; of the analyst's, with its one group, the codes alone.
    times
        How many messages say so.
    dropped, repeated, unknown
        How many messages did not open, were there already, or name no answer of the task.
    """

    combinations: Integers
    times: Integers
    dropped: int
    repeated: int
    unknown: int

    @property
    def answers(self) -> Integers:
        """What each message says, a row for each: 8 bytes a number."""
        return np.repeat(self.combinations, self.times, axis=0)


def count_batch(pieces: Iterable[bytes], round_: Round, private: bytes | None, cores: int = 1) -> BatchCounts:
    """Return what the messages of a whole batch say; no private key is needed where the last layer is off already."""
    form, spread = _form(round_), np.frombuffer(os.urandom(16), np.uint64) | np.uint64(1)
    combinations, times = np.empty((0, 1 + len(round_.groups[0])), np.int64), np.empty(0, np.int64)
    dropped = repeated = unknown = 0
    with open_buckets(form.itemsize) as files:
        for block, missing in _open_messages(pieces, round_, private, cores):
            dropped += missing
            rows: NDArray[Any] = np.frombuffer(block, form)
            salts = np.ascontiguousarray(rows["salt"]).view(np.uint64).reshape(-1, 2)
            # By a hash that nobody can foresee: senders who choose their salts do not fill one file.
            files.add(rows_of(block, form.itemsize), ((salts * spread).sum(axis=1) >> np.uint64(56)).astype(np.uint8))
        for bucket in files.drain():
            # Two people draw the same 16 bytes never; the same message twice is one that somebody sent again.
            rows = np.unique(bucket).view(form)
            repeated += len(bucket) - len(rows)
            answers = np.column_stack([rows["group"].astype(np.int64), rows["codes"].astype(np.int64)])
            known = _are_answers(answers, round_)
            unknown += int((~known).sum())
            combinations, times = _add_answers(combinations, times, answers[known])
    return BatchCounts(combinations[:, int(round_.to_analyst) :], times, dropped, repeated, unknown)


def tallies_of(batch: BatchCounts, round_: Round) -> list[Integers]:
    """Return for each group of a round of the curator's how many said the same.

    In the first round by the answer's code; later of each combination that somebody said, in no order that matters.
    """
    tallies: list[Integers] = []
    for place, group in enumerate(round_.groups):
        here = batch.combinations[:, 0] == place
        tally = batch.times[here]
        if round_.number == 1:
            tally = np.bincount(batch.combinations[here, 1], tally, round_.task.features[group[0]].codes).astype(
                np.int64
            )
        tallies.append(tally)
    return tallies


def _add_answers(combinations: Integers, times: Integers, answers: Integers) -> tuple[Integers, Integers]:
    """Return what is told and how often, with some answers more."""
    distinct, where = np.unique(np.concatenate([combinations, answers]), axis=0, return_inverse=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, where.ravel(), np.concatenate([times, np.ones(len(answers), np.int64)]))
    return distinct, sums


def _form(round_: Round) -> Any:
    return np.dtype([("group", ">u2"), ("codes", ">u4", (len(round_.groups[0]),)), ("salt", np.void, SALT_BYTES)])


def _are_answers(answers: Integers, round_: Round) -> Booleans:
    codes = np.array([[len(round_.labels[place]) for place in group] for group in round_.groups])
    groups = np.minimum(answers[:, 0], len(codes) - 1)
    return (answers[:, 0] < len(codes)) & np.all(answers[:, 1:] < codes[groups], axis=1)


def _open_messages(
    pieces: Iterable[bytes], round_: Round, private: bytes | None, cores: int
) -> Iterator[tuple[bytes, int]]:
    width = round_.width(len(round_.task.shufflers))
    if private is not None:
        yield from Opener(private, round_.info(0), width, cores)(blocks_of(pieces, width))
        return
    for block in blocks_of(pieces, width):
        rest = len(block) % width
        yield block[: len(block) - rest], int(rest > 0)
