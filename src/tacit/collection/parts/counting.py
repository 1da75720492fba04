"""Opening the last layer, and counting: single answers, or those of several features together."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

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
        Of each message that counts: a feature's place and an answer's code, or the codes of all chosen features.
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
    count = 2 if of.chosen is None else len(of.chosen)
    form: list[Any] = [(str(place), ">u4") for place in range(count)]
    if of.chosen is None:
        form[0] = ("0", ">u2")
    rows = np.frombuffer(b"".join(held), np.dtype([*form, ("salt", np.void, SALT_BYTES)]))
    # Two people draw the same 16 bytes never; the same message twice is one that somebody sent again.
    _, first = np.unique(rows.view(np.dtype((np.void, rows.dtype.itemsize))), return_index=True)
    repeated, rows = len(rows) - len(first), rows[first]
    answers = np.column_stack([rows[name].astype(np.int64) for name, *_ in form])
    known = _known(answers, of)
    return Counted(answers[known], dropped, repeated, int((~known).sum()))


def counts_of(answers: NDArray[np.int64], of: Round) -> Mapping[str, NDArray[np.int64]]:
    """Return how many said what of each feature, by codes, in the first round."""
    return {
        feature.name: np.bincount(answers[answers[:, 0] == place, 1], minlength=feature.codes)
        for place, feature in enumerate(of.task.features)
    }


def _known(answers: NDArray[np.int64], of: Round) -> NDArray[np.bool_]:
    codes = np.array([feature.codes for feature in of.task.features])
    if of.chosen is not None:
        return np.all(answers < codes[list(of.chosen)], axis=1)
    features = np.minimum(answers[:, 0], len(codes) - 1)
    return np.logical_and(answers[:, 0] < len(codes), answers[:, 1] < codes[features])


def _opened(pieces: Iterable[bytes], of: Round, private: bytes | None, cores: int) -> Iterator[tuple[bytes, int]]:
    width = of.width(len(of.task.shufflers))
    if private is None:
        yield from ((block, 0) for block in blocks_of(pieces, width))
    else:
        yield from Opener(private, of.info(0), width, cores)(blocks_of(pieces, width))
