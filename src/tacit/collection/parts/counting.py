"""Opening the last layer, and counting: single answers, or those of several features together."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.collection.parts.opening import Opener
from tacit.collection.parts.shuffling import blocks_of
from tacit.collection.wire.rounds import SALT_BYTES, Round


@dataclass(frozen=True)
class Counted:
    """What a batch holds.

    Parameters
    ----------
    answers
        Of each message that counts: the place of a group of features, and the codes of the answers to these; of the
        analyst's, with its one group, the codes alone.
    dropped, repeated, unknown
        How many messages did not open, were there already, or name no answer of the task.
    """

    answers: NDArray[np.int64]
    dropped: int
    repeated: int
    unknown: int


def counted(pieces: Iterable[bytes], of: Round, private: bytes | None, cores: int = 1) -> Counted:
    """Return what the messages of a whole batch say; no private key is needed where the last layer is off already."""
    blocks = _opened(pieces, of, private, cores)
    held: list[bytes] = []
    dropped = 0
    for block, missing in blocks:
        held.append(block)
        dropped += missing
    form = [("group", ">u2"), ("codes", ">u4", (len(of.groups[0]),)), ("salt", np.void, SALT_BYTES)]
    rows = np.frombuffer(b"".join(held), np.dtype(form))
    # Two people draw the same 16 bytes never; the same message twice is one that somebody sent again.
    _, first = np.unique(rows.view(np.dtype((np.void, rows.dtype.itemsize))), return_index=True)
    repeated, rows = len(rows) - len(first), rows[first]
    answers = np.column_stack([rows["group"].astype(np.int64), rows["codes"].astype(np.int64)])
    known = _known(answers, of)
    return Counted(answers[known, int(of.to_analyst) :], dropped, repeated, int((~known).sum()))


def counts_of(answers: NDArray[np.int64], of: Round) -> Mapping[str, NDArray[np.int64]]:
    """Return how many said what of each feature, by codes, in the first round."""
    return {feature.name: held for feature, held in zip(of.task.features, tallies_of(answers, of), strict=True)}


def tallies_of(answers: NDArray[np.int64], of: Round) -> list[NDArray[np.int64]]:
    """Return for each group of a round of the curator's how many said the same.

    In the first round by the answer's code; later of each combination that somebody said, in no order that matters.
    """
    if of.number == 1:
        return [
            np.bincount(answers[answers[:, 0] == place, 1], minlength=feature.codes)
            for place, feature in enumerate(of.task.features)
        ]
    told, counts = np.unique(answers, axis=0, return_counts=True)
    ends = np.searchsorted(told[:, 0], np.arange(len(of.groups) + 1))
    return [counts[ends[place] : ends[place + 1]] for place in range(len(of.groups))]


def _known(answers: NDArray[np.int64], of: Round) -> NDArray[np.bool_]:
    codes = np.array([[len(of.labels[place]) for place in group] for group in of.groups])
    groups = np.minimum(answers[:, 0], len(codes) - 1)
    return (answers[:, 0] < len(codes)) & np.all(answers[:, 1:] < codes[groups], axis=1)


def _opened(pieces: Iterable[bytes], of: Round, private: bytes | None, cores: int) -> Iterator[tuple[bytes, int]]:
    width = of.width(len(of.task.shufflers))
    if private is None:
        yield from ((block, 0) for block in blocks_of(pieces, width))
    else:
        yield from Opener(private, of.info(0), width, cores)(blocks_of(pieces, width))
