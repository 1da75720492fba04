"""The largest L1 distance between many rows: by pairs of blocks, without the pairs that cannot contain it.

Single precision, with a bound of its rounding, finds the blocks that may contain the largest distance; double precision
then decides. If rows form clusters, the triangle inequality excludes most pairs of blocks before (Bayes-sec, section
VII-D): the distance of two rows is at most the sum of their distances from a third.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.compiled import compiled, on_all_cores

_ROWS_A_TILE, _MOST_BLOCKS = 32, 1500
# Where at least so many rows are looked at in search of clusters, by a sample of so many.
_ROWS_TO_CLUSTER, _SAMPLE = 1024, 128
_TILES_A_PART = 64
# How far two ways to add up the same differences may be apart.
_REORDERED = 1e-13
# Larger matrices are read where they are, on disk perhaps, without a copy of any kind.
_MOST_COPIED = 1 << 26


def tile_maxima(rows: Any, starts: Any, tiles: Any, maxima: Any) -> None:
    """Write, for each pair of blocks of rows, the largest L1 distance between a row of one and a row of the other."""
    columns = rows.shape[1]
    zero = rows[0, 0] - rows[0, 0]
    for t in range(tiles.shape[0]):
        first, first_end = starts[tiles[t, 0]], starts[tiles[t, 0] + 1]
        second, second_end = starts[tiles[t, 1]], starts[tiles[t, 1] + 1]
        largest = zero
        # Two rows against two at a time: half the loads. An odd last row is taken twice.
        for a in range(first, first_end, 2):
            b = min(a + 1, first_end - 1)
            for c in range(second, second_end, 2):
                d = min(c + 1, second_end - 1)
                ac, ad, bc, bd = zero, zero, zero, zero
                for y in range(columns):
                    ac += abs(rows[a, y] - rows[c, y])
                    ad += abs(rows[a, y] - rows[d, y])
                    bc += abs(rows[b, y] - rows[c, y])
                    bd += abs(rows[b, y] - rows[d, y])
                largest = max(largest, ac, ad, bc, bd)
        maxima[t] = largest


def distances_between(rows: Any, others: Any, distances: Any) -> None:
    """Write the L1 distance between every row of one array and every row of another."""
    columns = rows.shape[1]
    for a in range(rows.shape[0]):
        for b in range(others.shape[0]):
            total = 0.0
            for y in range(columns):
                total += abs(rows[a, y] - others[b, y])
            distances[a, b] = total


@dataclass(frozen=True)
class Blocks:
    """Rows in an order that keeps near rows together, cut into blocks, with bounds for pairs of blocks.

    Parameters
    ----------
    rows
        The matrix, with its rows reordered if that helps.
    order
        The original number of each row.
    starts
        The start of each block, and the end of the last one.
    reach
        Symmetric: an upper bound of the distance between rows of two blocks; infinite if none is known.
    found
        The largest distance found so far.
    looked_at
        The number of distances computed so far.
    """

    rows: Reals
    order: Integers
    starts: Integers
    reach: Reals
    found: float
    looked_at: int

    @cached_property
    def tiles(self) -> Integers:
        """All pairs of blocks, ordered by falling upper bound."""
        first, second = np.triu_indices(self.starts.size - 1)
        furthest = np.argsort(-self.reach[first, second], kind="stable")
        return np.column_stack([first, second])[furthest].astype(np.int64)


def blocks_of(matrix: Reals) -> Blocks:
    """Cut the rows of a matrix into blocks that keep clusters together, if there are some."""
    n = len(matrix)
    if n >= _ROWS_TO_CLUSTER and matrix.size <= _MOST_COPIED and _clustered(matrix):
        return _by_pivot(matrix)
    starts = _cut(np.array([0, n]), max(_ROWS_A_TILE, -(-n // _MOST_BLOCKS)))
    return Blocks(matrix, np.arange(n), starts, np.full((starts.size - 1, starts.size - 1), np.inf), 0.0, 0)


@dataclass(frozen=True)
class FurthestTiles:
    """The largest distance, the tiles that contain it within a tolerance, and the number of pairs compared."""

    distance: float
    compared: int
    blocks: Blocks
    tiles: Integers
    tolerance: float

    def pairs(self) -> Iterator[Integers]:
        """Yield the pairs of rows (i, j), i < j, whose distance is within the tolerance of the largest."""
        rows, starts, order = self.blocks.rows, self.blocks.starts, self.blocks.order
        for i, j in self.tiles.tolist():
            near = distances_of(rows[starts[i] : starts[i + 1]], rows[starts[j] : starts[j + 1]])
            a, b = np.nonzero(near >= self.distance - self.tolerance - _REORDERED)
            pairs = np.sort(np.column_stack([order[starts[i] + a], order[starts[j] + b]]), axis=1)
            yield np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)


def furthest_rows_by_tiles(matrix: Reals, tolerance: float) -> FurthestTiles:
    """Find the largest L1 distance between two rows, and the tiles whose rows come within ``tolerance`` of it."""
    blocks = blocks_of(matrix)
    tiles = blocks.tiles
    reach = blocks.reach[tiles[:, 0], tiles[:, 1]]
    if matrix.size <= _MOST_COPIED:
        first_look, rounding = blocks.rows.astype(np.float32), _rounding(matrix.shape[1])
    else:
        first_look, rounding = blocks.rows, _REORDERED
    approximate = np.zeros(len(tiles))
    best, done = blocks.found, 0
    while done < len(tiles) and reach[done] >= best - tolerance - _REORDERED:
        # What is found early rules out more: take few tiles first where their reach is known, else all.
        end = min(len(tiles), done + max(_TILES_A_PART, done)) if np.isfinite(reach[done]) else len(tiles)
        end = done + int(np.searchsorted(-reach[done:end], -(best - tolerance - _REORDERED), side="right"))
        approximate[done:end] = _maxima(first_look, blocks.starts, tiles[done:end])
        best = max(best, float(approximate[done:end].max()) - rounding)
        done = end
    likely = np.flatnonzero(approximate[:done] >= best - rounding - tolerance - _REORDERED)
    exact = _maxima(blocks.rows, blocks.starts, tiles[likely])
    distance = float(exact.max())
    sizes = np.diff(blocks.starts)
    first, second = tiles[:done].T
    compared = np.where(first == second, sizes[first] * (sizes[first] - 1) // 2, sizes[first] * sizes[second])
    return FurthestTiles(
        distance,
        int(compared.sum()) + blocks.looked_at,
        blocks,
        tiles[likely[exact >= distance - tolerance - _REORDERED]],
        tolerance,
    )


def _rounding(columns: int) -> float:
    """Return the rounding error of the distance of two rows that sum to 1 in single precision: of entries and sums."""
    return 2.1 * (columns + 4) * 2.0**-24


def _maxima(rows: Any, starts: Integers, tiles: Integers) -> Reals:
    maxima = np.zeros(len(tiles), dtype=rows.dtype)
    kernel = compiled(tile_maxima)
    ends = range(0, len(tiles), _TILES_A_PART)
    on_all_cores(lambda t: kernel(rows, starts, tiles[t : t + _TILES_A_PART], maxima[t : t + _TILES_A_PART]), ends)
    return maxima.astype(np.float64)


def distances_of(rows: Reals, others: Reals) -> Reals:
    """Return all distances between two sets of rows."""
    distances = np.empty((len(rows), len(others)))
    kernel, step = compiled(distances_between), 256
    starts = range(0, len(rows), step)
    on_all_cores(lambda a: kernel(rows[a : a + step], others, distances[a : a + step]), starts)
    return distances


def _clustered(matrix: Reals) -> bool:
    """Whether an eighth of a sample of rows has another row near it: then most pairs can be excluded."""
    sample = matrix[np.sort(np.random.default_rng(0).choice(len(matrix), _SAMPLE, replace=False))]
    distances = distances_of(sample, sample)
    np.fill_diagonal(distances, np.inf)
    near = np.count_nonzero(distances.min(axis=1) < distances[np.isfinite(distances)].max() / 8)
    return int(near) >= _SAMPLE // 8


def _by_pivot(matrix: Reals) -> Blocks:
    """Order rows by their nearest pivot, and bound the distances of blocks by the distances to pivots."""
    distances, next_to = pivots_of(
        lambda row: distances_of(matrix, matrix[row : row + 1])[:, 0], len(matrix), int(np.sqrt(len(matrix)))
    )
    own: Reals = np.take_along_axis(distances, next_to[:, None], axis=1)[:, 0]
    order: Integers = np.lexsort((own, next_to))
    _, first = np.unique(next_to[order], return_index=True)
    starts = _cut(np.append(first, len(matrix)), max(_ROWS_A_TILE, -(-len(matrix) // _MOST_BLOCKS)))
    reach = reach_by_pivot(distances[order], starts[:-1], next_to[order[starts[:-1]]])
    return Blocks(matrix[order], order, starts, reach, float(distances.max()), distances.size)


def pivots_of(distances_to: Callable[[int], Reals], n: int, pivots: int) -> tuple[Reals, Integers]:
    """Return the distances of all n rows to some pivots that are far apart, and the nearest pivot of each row.

    Each pivot is the row furthest from the pivots before (Gonzalez 1985).
    """
    distances = np.empty((n, pivots))
    nearest, next_to, furthest = np.full(n, np.inf), np.zeros(n, dtype=np.int64), 0
    for p in range(pivots):
        distances[:, p] = distances_to(furthest)
        closer = distances[:, p] < nearest
        nearest[closer], next_to[closer] = distances[closer, p], p
        furthest = int(nearest.argmax())
    return distances, next_to


def reach_by_pivot(distances: Reals, starts: Integers, pivot: Integers) -> Reals:
    """Return upper bounds of the distances between rows of two blocks, from the distances of rows to pivots."""
    reach = np.maximum.reduceat(distances, starts, axis=0)
    radius = np.take_along_axis(reach, pivot[:, None], axis=1)[:, 0]
    through_first = radius[:, None] + reach[:, pivot].T
    return np.minimum(through_first, through_first.T) * (1 + 1e-12)


def _cut(ends: Integers, longest: int) -> Integers:
    """Return the starts of blocks that are not too long and do not cross an end, and the last end."""
    pieces: list[Integers] = [np.arange(a, b, longest) for a, b in itertools.pairwise(ends)]
    return np.concatenate([*pieces, ends[-1:]]).astype(np.int64)
