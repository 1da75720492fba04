"""An estimate of β* for discrete observations: one half of the samples chooses the pair, the other estimates its β."""

from itertools import pairwise

import numpy as np

from discretion.blackbox.compared_pairs import compared_pairs
from discretion.blackbox.distinct import distinct_integers
from discretion.blackbox.progressive_validation import COUNTED, block_edges, meeting_point
from discretion.blackbox.samples import Samples
from discretion.numerics.arrays import Integers

# The errors of all samples are compared with those of parts, this number in each half.
_PARTS = 4

# Of two secrets, a row each: the observations of their samples, or the counts of each observation.


def likely_security(samples: Samples, misses: float, rng: np.random.Generator) -> float:
    """Return the β of the pair that half of each secret's samples chooses by its limit, from the errors on the others.

    The pair with the lowest limit is partly chosen by chance, which does not affect its errors on other samples. Each
    half chooses in turn, and the result is from the mean errors; it is 1 where there are none.
    """
    coded = samples.coded()
    errors: list[tuple[tuple[float, float], tuple[float, float]]] = []
    halves = _halves(coded)
    for choosing_half, held_out_half in (halves, halves[::-1]):
        pair = _leakiest(coded.take(choosing_half), misses, rng) if choosing_half.size else (0, 1)
        known, tested = (_common_counts(coded.take(half), pair) for half in (choosing_half, held_out_half))
        if known.size and tested.shape[1] > 1:
            errors.append(_errors(known, tested))
    if not errors:
        return 1.0
    held_out, trained = np.mean(errors, axis=0).tolist()
    return meeting_point(tuple(held_out), tuple(trained))


def _halves(samples: Samples) -> tuple[Integers, Integers]:
    """Return the places of the first half of each secret's samples, and of the second."""
    by_secret = np.argsort(samples.secrets, kind="stable")
    sizes = np.bincount(samples.secrets, minlength=samples.k)
    place = np.empty_like(by_secret)
    place[by_secret] = np.arange(samples.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    first = 2 * place < sizes[samples.secrets]
    return np.flatnonzero(first), np.flatnonzero(~first)


def _leakiest(samples: Samples, misses: float, rng: np.random.Generator) -> tuple[int, int]:
    if samples.k == 2:
        return 0, 1
    pairs = compared_pairs(samples, rng)
    best = pairs.leakiest(misses)
    return int(pairs.first[best]), int(pairs.second[best])


def _common_counts(samples: Samples, pair: tuple[int, int]) -> Integers:
    """Return the observations of two secrets' samples, the same number of each secret."""
    each = [samples.observations[samples.secrets == secret] for secret in pair]
    both = min(map(len, each))
    return np.stack([some[:both] for some in each])


def _errors(known: Integers, tested: Integers) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the sums of both secrets' errors on the tested samples: held-out and training, for a part and for all.

    For a part, only its own samples are known; for its held-out errors, only the first half of them.
    """
    codes = distinct_integers(np.concatenate([known, tested], axis=1).ravel())[1].reshape(2, -1)
    known, tested = codes[:, : known.shape[1]], codes[:, known.shape[1] :]
    cells, size = int(codes.max()) + 1, tested.shape[1]
    part = max(2, size // _PARTS)
    parts = [tested[:, start : start + part] for start in range(0, size - part + 1, part)]
    held_out = float(np.mean([_held_out(some[:, : part // 2], some[:, part // 2 :], cells) for some in parts]))
    trained = float(np.mean([_trained(some, some, cells) for some in parts]))
    return (held_out, _held_out(known, tested, cells)), (trained, _trained(codes, tested, cells))


def _trained(known: Integers, tested: Integers, cells: int) -> float:
    """Return the training errors per sample of either secret."""
    return _error_count(_cell_counts(known, cells), _cell_counts(tested, cells)) / tested.shape[1]


def _held_out(known: Integers, tested: Integers, cells: int) -> float:
    """Return the held-out errors per sample of either secret, each block guessed from all blocks before it."""
    learned, errors = _cell_counts(known, cells), 0.0
    edges = np.array(block_edges(known.shape[1], known.shape[1] + tested.shape[1], COUNTED)) - known.shape[1]
    for start, end in pairwise(edges.tolist()):
        block = _cell_counts(tested[:, start:end], cells)
        errors += _error_count(learned, block)
        learned += block
    return errors / tested.shape[1]


def _cell_counts(observed: Integers, cells: int) -> Integers:
    return np.stack([np.bincount(row, minlength=cells) for row in observed])


def _error_count(learned: Integers, tested: Integers) -> float:
    """Return the errors of guessing the more frequent secret, or by a fair coin in ties."""
    lead = learned[0] - learned[1]
    return float(tested[0, lead < 0].sum() + tested[1, lead > 0].sum() + tested[:, lead == 0].sum() / 2)
