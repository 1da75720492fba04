"""Every way to the largest distance of rows, and every bound on it, against the double loop."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from discretion.channels.storage import Dense
from discretion.channels.storage.sparse import Sparse
from discretion.errors import TooLargeError
from discretion.numerics import compiled
from discretion.numerics.distances import l1_bounds, l1_tiles, pairwise
from oracles.strategies import stochastic
from support.lowering import lowered

TOLERANCE = 1e-12


def slow_distances(matrix):
    rows = matrix.toarray() if sparse.issparse(matrix) else matrix
    return {(i, j): float(np.abs(rows[i] - rows[j]).sum()) for i, j in itertools.combinations(range(len(rows)), 2)}


def slow_pairs(matrix, tolerance):
    distances = slow_distances(matrix)
    largest = max(distances.values(), default=0.0)
    return largest, [pair for pair, distance in distances.items() if distance >= largest - tolerance]


def by_signs(matrix, tolerance):
    distance = pairwise.largest_distance_by_signs(matrix)
    return pairwise.FurthestRows(distance, lambda first: pairwise.pairs_by_signs(matrix, distance - tolerance, first))


def by_tiles(matrix, tolerance):
    found = l1_tiles.furthest_rows_by_tiles(matrix, tolerance)
    return pairwise.FurthestRows(found.distance, lambda first: found.pairs())


def by_pivots(matrix, tolerance):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(l1_tiles, "_ROWS_TO_CLUSTER", 2)
        patch.setattr(l1_tiles, "_clustered", lambda matrix: True)
        return by_tiles(matrix, tolerance)


def in_place(matrix, tolerance):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(l1_tiles, "_MOST_COPIED", 0)
        return by_tiles(matrix, tolerance)


def by_rows(matrix, tolerance):
    return pairwise.furthest_rows(matrix, tolerance)


def by_numpy(matrix, tolerance):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise, "algorithm_of_shape", lambda rows, columns: pairwise.BY_ROWS)
        return pairwise.furthest_rows(matrix, tolerance)


def of_sparse_rows(matrix, tolerance):
    return pairwise.furthest_sparse_rows(sparse.csr_array(matrix), tolerance)


WAYS = [by_rows, of_sparse_rows, by_tiles, by_pivots, in_place, by_signs]
each_way = pytest.mark.parametrize("way", WAYS)


@pytest.mark.long
@each_way
@settings(max_examples=40)
@given(st.integers(2, 9).flatmap(lambda rows: st.integers(1, 6).flatmap(lambda columns: stochastic(rows, columns))))
def test_every_way_finds_the_largest_distance_and_all_that_attain_it(way, matrix):
    largest, tied = slow_pairs(matrix, TOLERANCE)
    found = way(matrix, TOLERANCE)
    assert found.distance == pytest.approx(largest, rel=1e-14, abs=1e-15)
    assert found.all() == tied
    assert found.first() == tied[0]


@each_way
@pytest.mark.parametrize("tolerance", [0.0, 0.1, 3.0])
def test_a_tolerance_lets_nearer_pairs_in(way, tolerance):
    matrix = np.random.default_rng(1).dirichlet(np.ones(5), size=70)
    largest, near = slow_pairs(matrix, tolerance)
    found = way(matrix, tolerance)
    assert found.distance == pytest.approx(largest, rel=1e-14)
    assert found.all() == near
    assert found.first() == near[0]


@each_way
def test_rows_that_are_all_alike_are_no_distance_apart(way):
    found = way(np.full((5, 3), 1 / 3), TOLERANCE)
    assert found.distance == 0
    assert found.first() == (0, 1)
    assert len(found.all()) == 10


@pytest.mark.parametrize("way", [by_rows, of_sparse_rows])
def test_of_rows_that_are_equal_some_pair_is_furthest(way):
    row = np.random.default_rng(0).dirichlet(np.ones(40))
    assert way(np.vstack([row, row]), 0.0).all() == [(0, 1)]


@each_way
def test_pairs_beyond_number_are_not_listed(way):
    found = way(np.full((10, 3), 1 / 3), TOLERANCE)
    assert found.first() == (0, 1)
    refused = pytest.raises(TooLargeError, match=r"more than 44 .* use leakiest_pair")
    with lowered(MAX_PAIRS_LISTED=44), refused:
        found.all()


def test_the_distance_alone_keeps_no_pairs(monkeypatch):
    monkeypatch.setattr(pairwise, "_pairs_by_rows", None)
    assert pairwise.furthest_sparse_rows(sparse.csr_array(np.eye(50))).distance == 2


def test_a_single_row_has_no_pair():
    found = pairwise.furthest_rows(np.array([[0.5, 0.5]]))
    assert found.distance == 0
    assert found.all() == []


def test_the_way_is_chosen_by_shape():
    assert pairwise.algorithm_of_shape(10, 1000) == pairwise.BY_ROWS
    assert pairwise.algorithm_of_shape(2000, 1000) == pairwise.BY_TILES
    assert pairwise.algorithm_of_shape(100_000, 8) == pairwise.BY_SIGNS
    assert Sparse(sparse.csr_array((2000, 1000))).way_to_furthest_rows == pairwise.BY_ROWS


@pytest.mark.one_in(2)
@pytest.mark.parametrize("columns", [37, 200])
def test_a_thousand_rows_compiled_equal_a_thousand_by_numpy(columns):
    matrix = np.random.default_rng(2).dirichlet(np.ones(columns), size=1000)
    expected = by_numpy(matrix, TOLERANCE)
    for way in (by_tiles, by_pivots, in_place):
        assert way(matrix, TOLERANCE).distance == pytest.approx(expected.distance, rel=1e-13)
        assert way(matrix, TOLERANCE).all() == expected.all()


def clustered(rows, columns, clusters, spread=0.01):
    rng = np.random.default_rng(3)
    centres = rng.dirichlet(np.ones(columns), size=clusters)
    return (1 - spread) * centres[rng.integers(0, clusters, rows)] + spread * rng.dirichlet(np.ones(columns), rows)


@pytest.mark.long
def test_clusters_are_noticed_and_most_of_their_pairs_left_out():
    matrix = clustered(4000, 50, 40)
    found = l1_tiles.furthest_rows_by_tiles(matrix, TOLERANCE)
    expected = by_numpy(matrix, TOLERANCE)
    assert found.distance == pytest.approx(expected.distance, rel=1e-13)
    assert [tuple(pair) for pair in np.concatenate(list(found.pairs())).tolist()] == expected.all()
    assert found.compared < 0.1 * 4000 * 3999 / 2


def test_rows_that_do_not_cluster_are_compared_without_pivots():
    matrix = np.random.default_rng(4).dirichlet(np.ones(60), size=1500)
    assert np.isinf(l1_tiles.blocks_of(matrix).reach).all()
    assert l1_tiles.furthest_rows_by_tiles(matrix, TOLERANCE).compared == 1500 * 1499 // 2


@pytest.mark.parametrize("columns", [3, 64, 1001])
def test_single_precision_is_off_by_no_more_than_its_bound(columns):
    matrix = np.random.default_rng(5).dirichlet(np.full(columns, 0.05), size=64)
    blocks = l1_tiles.blocks_of(matrix)
    double = l1_tiles._maxima(matrix, blocks.starts, blocks.tiles)
    single = l1_tiles._maxima(matrix.astype(np.float32), blocks.starts, blocks.tiles)
    assert np.abs(single - double).max() <= l1_tiles._rounding(columns)


@given(st.integers(1, 7), st.integers(1, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_the_loops_say_the_same_compiled_or_not(rows, columns, seed):
    matrix = np.random.default_rng(seed).dirichlet(np.ones(columns), size=rows)
    starts, tiles = np.array([0, rows // 2, rows]), np.array([[0, 0], [0, 1], [1, 1]])
    maxima, distances = np.zeros((2, 3)), np.empty((2, rows, rows))
    for loop, out in ((l1_tiles.tile_maxima, maxima[0]), (compiled.compiled(l1_tiles.tile_maxima), maxima[1])):
        loop(matrix, starts, tiles, out)
    for loop, out in (
        (l1_tiles.distances_between, distances[0]),
        (compiled.compiled(l1_tiles.distances_between), distances[1]),
    ):
        loop(matrix, matrix, out)
    assert maxima[0] == pytest.approx(maxima[1], abs=1e-15)
    assert distances[0] == pytest.approx(distances[1], abs=1e-15)
    assert distances[0] == pytest.approx(np.abs(matrix[:, None] - matrix).sum(axis=2), abs=1e-15)


@pytest.mark.parametrize(
    "bracket", [l1_bounds.around_mean, l1_bounds.around_first, l1_bounds.by_l2, l1_bounds.by_pivots]
)
@pytest.mark.parametrize("storage", [Dense, lambda matrix: Sparse(sparse.csr_array(matrix))])
@settings(max_examples=30)
@given(st.data())
def test_the_largest_distance_lies_between_its_bounds(bracket, storage, data):
    matrix = data.draw(stochastic(data.draw(st.integers(1, 9)), data.draw(st.integers(1, 5))))
    largest, _ = slow_pairs(matrix, 0)
    found = bracket(storage(matrix))
    assert found.least - 1e-12 <= largest <= found.most + 1e-12


def test_pivots_bound_clusters_tightly():
    matrix = clustered(3000, 40, 20)
    largest = pairwise.furthest_rows(matrix).distance
    found = l1_bounds.by_pivots(Dense(matrix))
    assert largest - 0.05 <= found.least <= largest <= found.most <= largest + 0.08


@pytest.mark.long
def test_what_fails_on_one_core_stops_the_others():
    done = []

    def work(part):
        if part == 0:
            raise KeyboardInterrupt
        done.append(part)

    with pytest.raises(KeyboardInterrupt):
        compiled.on_all_cores(work, range(100_000))
    assert len(done) < 100_000


def test_where_nothing_can_be_kept_loops_are_compiled_each_time(monkeypatch):
    import numba

    def njit(**options):
        if options.get("cache"):
            raise RuntimeError("no locator available")
        return lambda loop: loop

    monkeypatch.setattr(numba, "njit", njit)

    def loop(out):
        out[0] = 1

    assert compiled.compiled(loop) is loop
